//! The JSON schema of a run.

use schemars::{Schema, generate::SchemaSettings};

use super::Run;

impl Run {
    /// Returns the JSON schema (draft 2020-12) of the document that the output `json` writes.
    pub fn schema() -> Schema {
        let settings = SchemaSettings::draft2020_12().for_serialize();
        let mut schema = settings.into_generator().into_root_schema_for::<Self>();
        schema.insert("title".to_owned(), "A finished run of `a11ycheck check`".into());
        schema
    }
}
