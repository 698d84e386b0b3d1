//! Whether storage keeps what it acknowledged: the experiment of diskchecker.pl, for groups of blocks, files that grow and names.
//!
//! Writers ([`writers`]) work in a directory of their own ([`directory`]) by a schedule that is a pure function of a seed
//! ([`schedule`]); every sector they write says whose it is ([`sector`]). What a sync has made durable is told to a witness on
//! another machine ([`witness`]). After the power was cut, [`verify`] lays what is on the storage beside what the witness knows.
//! Method and forms: docs/design/durability.md, "What is written".
//!
//! Nothing is printed here and no environment is read; the server that the witness answers by is handed in by the binary.

pub mod directory;
pub mod experiment;
pub mod geometry;
pub mod schedule;
pub mod sector;
pub mod verify;
pub mod witness;
pub mod writers;
