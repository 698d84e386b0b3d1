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
//!
//! # Example
//!
//! ```
//! use durable::sector::{Found, Owner, put_sectors};
//! use uuid::Uuid;
//!
//! let owner = Owner { run: Uuid::new_v4(), generation: 1 };
//! let (writer, place) = (0, 9);
//! let mut block = [0; 4096];
//! put_sectors(owner, writer, 5, place, &mut block);
//!
//! // The power fails when the first 1,024 bytes of write 8 are on the medium.
//! let mut next = [0; 4096];
//! put_sectors(owner, writer, 8, place, &mut next);
//! block[..1024].copy_from_slice(&next[..1024]);
//!
//! let contents = Found::read(owner, writer, place, &block);
//! assert_eq!(contents.whole(), None);
//! assert_eq!(contents.sequences, Some((5, 8)));
//! ```

pub mod directory;
pub mod experiment;
pub mod geometry;
pub mod schedule;
pub mod sector;
pub mod verify;
pub mod witness;
pub mod writers;
