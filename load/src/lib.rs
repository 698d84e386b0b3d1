//! The data plane: engines, targets, patterns, pacing, the worker loop and its recorder.
