//! What an operator sees of the process that serves the pages.

/// The facts about a process that its host tells the interface, for the operator's page. Hosts leave out what is secret.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Installation {
    /// The programs that the process runs, each with its version.
    pub versions: Vec<(String, String)>,
    /// The settings that are set, each with its value.
    pub settings: Vec<(String, String)>,
}

impl Installation {
    /// Returns facts about a process, each a name and a value.
    pub fn new(
        versions: impl IntoIterator<Item = (String, String)>,
        settings: impl IntoIterator<Item = (String, String)>,
    ) -> Self {
        Self { versions: versions.into_iter().collect(), settings: settings.into_iter().collect() }
    }
}
