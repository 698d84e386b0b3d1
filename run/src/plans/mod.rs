//! Plans that are created from requests of the user: qualifications, marks and others. `job` creates the plans of job
//! files.

pub mod durable;
pub mod hydration;
pub mod mark;
pub mod metadata;
pub mod qualify;
pub mod sharing;
pub mod write_bound;
