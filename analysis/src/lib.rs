//! Judgement, pure: steady state, knees, binding limits, needs, verdict.
