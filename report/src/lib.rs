//! A record and its judgement, written out: terminal text and JSON.
