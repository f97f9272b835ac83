//! Contract §1, the envelope of an answer.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// One thing.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "{T}Answer")]
pub struct Answer<T> {
    /// The thing itself.
    pub data: T,
}

/// A document of OpenAPI. It has further fields.
#[derive(JsonSchema)]
#[schemars(inline)]
#[expect(dead_code, reason = "it describes the document, which is a JSON value")]
pub(crate) struct Document {
    /// The version of OpenAPI.
    openapi: String,
    /// The title of the API, and more about it.
    info: Map<String, Value>,
    /// The paths of the API.
    paths: Map<String, Value>,
}
