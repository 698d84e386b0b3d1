//! `secchi fio` beside the installed fio, job file by job file: the same text, the same disk, one after the other.
//!
//! `cases/*.fio` and `commands/*.cmd` say in their comments what must agree ([`case`]); the rest of this directory runs
//! both programs and prints one table of figures and verdicts. No figure is asserted in itself: fio's is the measure,
//! and where figures are noisy, the spread of each program's own repeats. `SECCHI_FIO_CASES=word` runs only cases with
//! the word in their names; `SECCHI_FIO_RIVAL=program` puts another program in our place: fio itself there shows the
//! noise of the harness. Without fio, or before there is a command to compare, all is skipped aloud.

mod agree;
mod beside;
mod bytes;
mod case;
mod devices;
mod examples;
mod fio_json;
mod link;
mod matrix;
mod programs;
mod readers;
mod support;
mod table;
