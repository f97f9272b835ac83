//! Fields that teams add to their sites, and the values of sites, in the state.

use std::collections::BTreeMap;

use a11ycheck_core::{
    domain::{SiteField, SiteValues},
    id::{SiteFieldId, SiteId, TeamId},
};

/// Fields, and the values of sites.
#[derive(Default)]
pub(crate) struct SiteFields {
    pub(crate) rows: BTreeMap<SiteFieldId, (TeamId, SiteField)>,
    /// The values of sites that have any.
    pub(crate) values: BTreeMap<SiteId, SiteValues>,
}

impl SiteFields {
    /// Returns the fields of a team, in their order.
    pub(crate) fn of_team(&self, team: TeamId) -> Vec<SiteField> {
        self.rows.values().filter(|(of, _)| *of == team).map(|(_, field)| field.clone()).collect()
    }

    /// Returns the values that sites carry of a field.
    pub(crate) fn carried(&self, field: SiteFieldId) -> impl Iterator<Item = String> {
        self.values.values().filter_map(move |values| values.get(&field).cloned())
    }

    /// Removes a field with its values, and returns how many sites had one.
    pub(crate) fn remove(&mut self, field: SiteFieldId) -> u64 {
        self.rows.remove(&field);
        let mut lost = 0;
        self.values.retain(|_, values| {
            lost += u64::from(values.remove(&field).is_some());
            !values.is_empty()
        });
        lost
    }

    /// Removes the fields of a team, whose sites are gone.
    pub(crate) fn remove_team(&mut self, team: TeamId) {
        self.rows.retain(|_, (of, _)| *of != team);
    }
}
