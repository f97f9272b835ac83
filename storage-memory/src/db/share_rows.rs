//! Links to reports in the state.

use std::collections::{BTreeMap, BTreeSet};

use a11ycheck_core::{
    domain::{SecretHash, SharedReport},
    id::{ShareId, TeamId},
};

/// Links to reports, and the teams that have any.
#[derive(Default)]
pub(crate) struct Shares {
    /// The teams that share their reports.
    pub(crate) teams: BTreeSet<TeamId>,
    pub(crate) rows: BTreeMap<ShareId, (SecretHash, SharedReport)>,
}

impl Shares {
    /// Removes what belongs to a team.
    pub(crate) fn remove_team(&mut self, team: TeamId) {
        self.teams.remove(&team);
        self.rows.retain(|_, (_, link)| link.team != team);
    }
}
