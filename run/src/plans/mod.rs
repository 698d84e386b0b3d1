//! What makes plans of what a person asks: qualifications and marks. Plans of job files are made by `job`.

pub mod durable;
pub mod mark;
pub mod metadata;
pub mod qualify;
pub mod sharing;
pub mod write_bound;
