//! Benchmarks of file systems shared by many hosts (elbencho, IOR, mdtest, IO500) and of Kubernetes volumes (kubestr,
//! kbench).

pub(crate) mod elbencho;
pub(crate) mod elbencho_text;
pub(crate) mod io500;
pub(crate) mod ior;
pub(crate) mod kbench;
pub(crate) mod kubestr;
pub(crate) mod mdtest;
