//! Tests that storage keeps acknowledged writes when the power fails. In addition to what diskchecker.pl tests, it
//! covers groups of blocks, growing files and names.
//!
//! Writers ([`writers`]) work in a separate directory ([`directory`]) and follow a schedule that is a pure function of
//! a seed ([`schedule`]). Every sector that they write identifies its owner ([`sector`]). Each completed sync is
//! reported to a witness on another machine ([`witness`]). After the power cut, [`verify`] compares the data on the
//! storage with the witness's records. The method and the file formats are described in docs/design/durability.md,
//! "What is written".
//!
//! This crate does not print anything or read environment variables. The binary contains the server for the witness.

pub mod directory;
pub mod experiment;
pub mod geometry;
pub mod schedule;
pub mod sector;
pub mod verify;
pub mod witness;
pub mod writers;
