//! The description of the API in OpenAPI 3.1, made from the route table, from the types that are read and written, and from their
//! comments.
//!
//! There are two renderings. The [`published`] one is for those who generate clients: a field or a word that a later release adds
//! breaks none of them. The [`strict`] one is for tests, which compare every answer of the server with it. `openapi.json` beside this
//! crate's manifest is a copy of the published one, so that changes of it are seen in reviews.

mod document;
mod operations;
mod parts;
mod rendering;

pub(crate) use self::rendering::open;
pub use self::{document::strict, rendering::published};
