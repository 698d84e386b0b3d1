//! `secchi durable`: are acknowledged writes kept?

mod observe;

pub use observe::run;
