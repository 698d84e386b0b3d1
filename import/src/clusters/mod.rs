//! Benchmarks of file systems that many hosts share: elbencho, IOR, mdtest and the IO500 made of them.

pub(crate) mod elbencho;
pub(crate) mod elbencho_text;
pub(crate) mod io500;
pub(crate) mod ior;
pub(crate) mod mdtest;
