//! The engines of checks: the programs that judge pages.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The program that judged the pages of a check, and the browser in which it ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Tool {
    /// The name that the program itself uses, for example `axe-core`. At most [`Tool::MAX_TEXT`] characters.
    #[serde(default = "axe_core")]
    pub name: String,
    /// The version. At most [`Tool::MAX_TEXT`] characters. It is stored under the name that it has in earlier releases,
    /// which knew axe-core alone and, on other nodes, read the checks of this release during an upgrade.
    #[serde(rename = "axe")]
    pub version: String,
    /// The name and version of the browser; `None` for an engine that needs no browser. At most [`Tool::MAX_TEXT`]
    /// characters. `None` is stored as an empty text, which earlier releases can read.
    #[serde(serialize_with = "write_browser", deserialize_with = "read_browser")]
    pub browser: Option<String>,
    /// The version of a11ycheck whose own checks (probes) looked at the pages as well; `None` where none did, and for checks from before
    /// this was recorded. At most [`Tool::MAX_TEXT`] characters. Stored only where there is one.
    #[serde(rename = "a11ycheck", default, skip_serializing_if = "Option::is_none")]
    pub probes: Option<String>,
}

impl Tool {
    /// The name of axe-core in its own package and results.
    pub const AXE_CORE: &str = "axe-core";
    /// The greatest number of characters that are accepted for each of the texts.
    pub const MAX_TEXT: usize = 200;

    /// Makes a tool of its name and version that needs no browser.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self { name: name.into(), version: version.into(), browser: None, probes: None }
    }

    /// Sets the name and version of the browser.
    #[must_use]
    pub fn with_browser(self, browser: impl Into<String>) -> Self {
        Self { browser: Some(browser.into()), ..self }
    }

    /// Sets the version of a11ycheck whose own checks looked at the pages as well.
    #[must_use]
    pub fn with_probes(self, version: impl Into<String>) -> Self {
        Self { probes: Some(version.into()), ..self }
    }

    /// Makes a tool for this version of axe-core in this browser.
    pub fn axe_core(version: impl Into<String>, browser: impl Into<String>) -> Self {
        Self::new(Self::AXE_CORE, version).with_browser(browser)
    }

    /// Returns the name and version, for example `axe-core 4.14.1`.
    pub fn program(&self) -> String {
        if self.version.is_empty() { self.name.clone() } else { format!("{} {}", self.name, self.version) }
    }

    /// Returns the version of axe-core; `None` for another engine.
    pub fn axe_version(&self) -> Option<&str> {
        (self.name == Self::AXE_CORE).then_some(self.version.as_str())
    }
}

fn axe_core() -> String {
    Tool::AXE_CORE.to_owned()
}

#[expect(clippy::ref_option, reason = "serde passes a reference to the field")]
fn write_browser<S: Serializer>(browser: &Option<String>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(browser.as_deref().unwrap_or_default())
}

fn read_browser<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let browser = String::deserialize(deserializer)?;
    Ok((!browser.is_empty()).then_some(browser))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_of_an_earlier_release_is_axe_core_and_reads_there_as_before() {
        let stored = r#"{"axe":"4.14.1","browser":"Chromium 156"}"#;
        let engine: Tool = serde_json::from_str(stored).unwrap();
        assert_eq!(engine, Tool::axe_core("4.14.1", "Chromium 156"));
        let written = serde_json::to_value(&engine).unwrap();
        assert_eq!((&written["axe"], &written["browser"]), (&"4.14.1".into(), &"Chromium 156".into()));
    }

    #[test]
    fn the_version_of_our_own_checks_is_kept_beside_that_of_the_engine() {
        let engine = Tool::axe_core("4.14.1", "Chromium 156").with_probes("0.1.0");
        let written = serde_json::to_value(&engine).unwrap();
        assert_eq!(written["a11ycheck"], "0.1.0");
        assert_eq!(serde_json::from_value::<Tool>(written).unwrap(), engine);
        assert!(serde_json::to_value(Tool::axe_core("4", "b")).unwrap().get("a11ycheck").is_none());
    }

    #[test]
    fn another_engine_keeps_its_name_and_has_no_version_of_axe_core() {
        let engine = Tool::new("pa11y", "9");
        let read: Tool = serde_json::from_str(&serde_json::to_string(&engine).unwrap()).unwrap();
        assert_eq!((&read, read.axe_version(), read.program().as_str()), (&engine, None, "pa11y 9"));
    }
}
