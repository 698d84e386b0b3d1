//! Runs of a store: the directory ([`store`], [`paths`]), writing a run ([`run_writer`]), ids ([`id`]), listings
//! ([`listing`], [`run_list_cache`]), tags and notes ([`labels`], [`labels_file`]), transport to another store
//! ([`bundle`]), reading documents ([`document`]), and the interface of a team's server ([`server`], [`team_error`]).

pub(crate) mod bundle;
pub(crate) mod document;
pub(crate) mod error;
pub(crate) mod id;
pub(crate) mod labels;
pub(crate) mod labels_file;
pub(crate) mod listing;
pub(crate) mod paths;
pub(crate) mod run_list_cache;
pub(crate) mod run_writer;
pub(crate) mod server;
pub(crate) mod store;
pub(crate) mod team_error;
