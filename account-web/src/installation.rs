//! What an operator sees of the process that serves the pages.

/// The facts about a process that its host passes to the interface, for the operator's page. Hosts leave out what is
/// secret.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Installation {
    /// The programs that the process runs, each with its version.
    pub versions: Vec<(String, String)>,
    /// The settings that are set, each with its value.
    pub settings: Vec<(String, String)>,
    /// True if the page for the first person also lets in who only wants to look around: as a person without a password, who operates
    /// the installation and owns its oldest team.
    pub offers_demo: bool,
}

impl Installation {
    /// Returns facts about a process, each a name and a value.
    pub fn new(
        versions: impl IntoIterator<Item = (String, String)>,
        settings: impl IntoIterator<Item = (String, String)>,
    ) -> Self {
        Self { versions: versions.into_iter().collect(), settings: settings.into_iter().collect(), offers_demo: false }
    }

    /// Sets whether the page for the first person also lets in who only wants to look around.
    #[must_use]
    pub fn with_demo(self, offers_demo: bool) -> Self {
        Self { offers_demo, ..self }
    }
}
