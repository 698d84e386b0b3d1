//! Benchmarks of file systems that many hosts share (elbencho, IOR, mdtest, IO500) and of volumes of Kubernetes (kubestr, kbench).

pub(crate) mod elbencho;
pub(crate) mod elbencho_text;
pub(crate) mod io500;
pub(crate) mod ior;
pub(crate) mod kbench;
pub(crate) mod kubestr;
pub(crate) mod mdtest;
