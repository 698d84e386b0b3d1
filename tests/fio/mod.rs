//! `secchi fio` compared with the installed fio, job file by job file: the same text, the same disk, one after the
//! other.
//!
//! The comments of `cases/*.fio` and `commands/*.cmd` specify the expected agreement ([`case`]); the modules here run
//! both programs and print one table of figures and verdicts. No figure has a fixed expected value: the reference is
//! fio, and for noisy figures the spread of each program's repeats. `SECCHI_FIO_CASES=word` runs only cases with the
//! word in their names. `SECCHI_FIO_RIVAL=program` replaces secchi with another program: with fio itself it shows the
//! noise of the harness. All tests are skipped with a message if fio is not installed or the build has no command
//! `fio`.

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
