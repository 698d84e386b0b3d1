//! Samplers of the host and facts about host and storage.
