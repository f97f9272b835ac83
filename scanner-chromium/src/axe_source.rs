//! The axe-core file, read once and made ready to be injected.

use std::path::{Path, PathBuf};

use serde_json::value::RawValue;

use crate::ChromiumError;

/// The version whose rules the catalogue knows. Rule ids and the border between "fails" and "needs review" move between
/// minor versions; patches only mend.
pub(crate) const WANTED: &str = "4.14";

/// axe-core as an expression of JavaScript.
#[derive(Debug)]
pub(crate) struct AxeSource {
    path: PathBuf,
    version: String,
    /// As a JSON string: escaping 650 kB for every frame would cost more than sending it.
    expression: Box<RawValue>,
}

impl AxeSource {
    /// Reads the first file that is there and of the version that is needed.
    ///
    /// # Errors
    /// Why the first file that is there will not do, and [`ChromiumError::AxeNotFound`] where there is none.
    pub(crate) fn first(places: Vec<PathBuf>) -> Result<Self, ChromiumError> {
        let mut refused = None;
        for path in places.iter().filter(|path| path.is_file()) {
            match Self::read(path) {
                Ok(found) => return Ok(found),
                // A distribution's own axe-core may be older; the right one may still come.
                Err(error) => _ = refused.get_or_insert(error),
            }
        }
        Err(refused.unwrap_or(ChromiumError::AxeNotFound { looked_for: places }))
    }

    pub(crate) fn read(path: &Path) -> Result<Self, ChromiumError> {
        let unreadable = |source| ChromiumError::AxeUnreadable { path: path.to_owned(), source };
        let source = std::fs::read_to_string(path).map_err(unreadable)?;
        let found = version(&source).unwrap_or("unknown").to_owned();
        if !found.strip_prefix(WANTED).is_some_and(|rest| rest.starts_with('.')) {
            return Err(ChromiumError::AxeVersion { path: path.to_owned(), found, wanted: WANTED });
        }
        // The parameters hide `module`, `exports` and `define`, which an element with such an id would otherwise be to
        // axe-core's loader. Its messages between frames would pass through the page's own scripts: it neither sends nor
        // receives any.
        let expression = format!(
            "(function(module,exports,define){{{source}\n}})();\
             window.axe.frameMessenger({{open(){{}},post:()=>false}});window.axe.version"
        );
        let expression =
            serde_json::value::to_raw_value(&expression).map_err(|error| unreadable(std::io::Error::other(error)))?;
        Ok(Self { path: path.to_owned(), version: found, expression })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
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

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_first_axe_core_of_the_right_version_is_taken_and_what_is_wrong_with_others_is_said() {
        let machine = tempfile::tempdir().unwrap();
        let [missing, old, older, right] = ["missing", "old", "older", "right"].map(|name| machine.path().join(name));
        fs::write(&old, "axe.version=\"4.8.2\"").unwrap();
        fs::write(&older, "axe.version=\"3.0.0\"").unwrap();
        fs::write(&right, "axe.version=\"4.14.9\"").unwrap();

        let places = vec![missing.clone(), old.clone(), right.clone()];
        let found = AxeSource::first(places).unwrap();
        assert_eq!((found.path(), found.version()), (&*right, "4.14.9"));

        let error = AxeSource::first(vec![missing.clone(), old.clone(), older]).unwrap_err();
        assert!(matches!(&error, ChromiumError::AxeVersion { path, found, .. } if *path == old && found == "4.8.2"));

        let error = AxeSource::first(vec![missing.clone(), machine.path().join("none")]).unwrap_err().to_string();
        assert!(error.contains(missing.to_str().unwrap()) && error.contains("/none"), "{error}");
        assert!(error.contains("A11YCHECK_AXE") && error.contains("axe-core 4.14"), "{error}");
    }
}
