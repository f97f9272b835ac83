//! The axe-core file, read once and made ready to be injected.

use std::path::Path;

use serde_json::value::RawValue;

use crate::ChromiumError;

/// The version whose rules the catalogue knows. Rule ids and the border between "fails" and "needs review" move between
/// minor versions; patches only mend.
const WANTED: &str = "4.14";

/// axe-core as an expression of JavaScript.
#[derive(Debug)]
pub(crate) struct AxeSource {
    version: String,
    /// As a JSON string: escaping 650 kB for every frame would cost more than sending it.
    expression: Box<RawValue>,
}

impl AxeSource {
    pub(crate) fn read(path: &Path) -> Result<Self, ChromiumError> {
        let unreadable = |source| ChromiumError::AxeUnreadable { path: path.to_owned(), source };
        let source = std::fs::read_to_string(path).map_err(unreadable)?;
        let found = version(&source).unwrap_or("unknown").to_owned();
        if !found.strip_prefix(WANTED).is_some_and(|rest| rest.starts_with('.')) {
            return Err(ChromiumError::AxeVersion { path: path.to_owned(), found, wanted: WANTED });
        }
        // The parameters hide `module`, `exports` and `define`, which an element with such an id would otherwise be to
        // axe-core's loader. Frames of other origins answer only when told to; in our world no script of a page can ask.
        let expression = format!(
            "(function(module,exports,define){{{source}\n}})();\
             window.axe.configure({{allowedOrigins:['<unsafe_all_origins>']}});window.axe.version"
        );
        let expression =
            serde_json::value::to_raw_value(&expression).map_err(|error| unreadable(std::io::Error::other(error)))?;
        Ok(Self { version: found, expression })
    }

    pub(crate) fn version(&self) -> &str {
        &self.version
    }

    pub(crate) const fn expression(&self) -> &RawValue {
        &self.expression
    }
}

/// The version that the file gives itself.
fn version(source: &str) -> Option<&str> {
    let (_, rest) = source.split_once("axe.version=\"")?;
    rest.split('"').next().filter(|version| version.len() < 40)
}
