//! The runs of a store: its directory ([`store`], [`paths`]), a run being written ([`run_writer`]), ids ([`id`]), listings
//! ([`listing`], [`run_list_cache`], [`summary`], [`plan_key`]), tags and notes ([`labels`], [`labels_file`]), runs carried to
//! another store ([`bundle`]), documents read ([`document`]).

pub(crate) mod bundle;
pub(crate) mod document;
pub(crate) mod error;
pub(crate) mod id;
pub(crate) mod labels;
pub(crate) mod labels_file;
pub(crate) mod listing;
pub(crate) mod paths;
pub(crate) mod plan_key;
pub(crate) mod run_list_cache;
pub(crate) mod run_writer;
pub(crate) mod store;
pub(crate) mod summary;
