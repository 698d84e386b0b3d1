//! Pages for a browser: the report page ([`write_page`]) and the demand page ([`write_demand_page`]).

mod assets;
mod body;
mod compared;
pub(super) mod data;
mod demand;
mod durability;
mod key_figures;
mod metadata;
mod page;
mod parts;
mod replayed;
#[cfg(test)]
mod tests;
pub(super) mod texts;
mod view;
mod watched;

pub(super) use assets::{CHARTS, STYLE, assets};
pub use demand::write_demand_page;
pub(super) use page::hash;
pub use page::write_page;
pub use texts::Language;
pub use view::Page;
