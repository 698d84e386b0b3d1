//! Test of whether storage keeps acknowledged writes, like diskchecker.pl, but for groups of blocks, growing files and
//! names.
//!
//! Writers ([`writers`]) work in a separate directory ([`directory`]) and follow a schedule that is a pure function of
//! a seed ([`schedule`]). Every sector that they write identifies its owner ([`sector`]). Each completed sync is
//! reported to a witness on another machine ([`witness`]). After the power cut, [`verify`] compares the data on the
//! storage with the witness's records. Method and file formats: docs/design/durability.md, "What is written".
//!
//! This crate prints nothing and reads no environment variables. The binary provides the witness's server.

pub mod directory;
pub mod experiment;
pub mod geometry;
pub mod schedule;
pub mod sector;
pub mod verify;
pub mod witness;
pub mod writers;
