//! Rows of queues that can't be read. They must not hold up those behind them.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

use crate::db::error::Corrupt;

/// What this process could not read, for each queue by itself.
#[derive(Debug, Default)]
pub(crate) struct Unreadable {
    /// Ids of checks.
    pub(crate) scans: PassedOver,
    /// Ids of teams, and of sites, that fall due.
    pub(crate) due: PassedOver,
    /// Ids of endpoints, and of deliveries.
    pub(crate) deliveries: PassedOver,
}

/// What this process could not read, by id. Nothing is changed in the database: another node may be of a version that reads
/// it, and an operator may mend it.
#[derive(Debug, Default)]
pub(crate) struct PassedOver(Mutex<HashMap<String, Instant>>);

impl PassedOver {
    /// After which it is read again.
    const TERM: Duration = Duration::from_secs(600);
    /// Ids that are passed over at a time: statements name them all.
    const MOST: usize = 1_000;

    /// The ids of what is not worth reading now.
    pub(crate) fn ids(&self) -> Vec<String> {
        let mut rows = self.lock();
        rows.retain(|_, since| since.elapsed() < Self::TERM);
        rows.keys().cloned().collect()
    }

    /// Passes it over from now on, and says so in the log; `false` when there is too much already, and it will be met again.
    pub(crate) fn add(&self, id: String, problem: &Corrupt) -> bool {
        let mut rows = self.lock();
        if rows.contains_key(&id) {
            return true;
        }
        tracing::error!(
            error = problem as &dyn std::error::Error,
            "Work that can't be read is passed over; it is looked at again in ten minutes"
        );
        let has_room = rows.len() < Self::MOST;
        if has_room {
            rows.insert(id, Instant::now());
        }
        has_room
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem() -> Corrupt {
        Corrupt::new("sites", 1, "odd")
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_mended_is_read_again_after_ten_minutes() {
        let rows = PassedOver::default();
        assert!(rows.add("one".to_owned(), &problem()));
        tokio::time::advance(Duration::from_secs(599)).await;
        assert!(rows.add("two".to_owned(), &problem()));
        assert_eq!(rows.ids().len(), 2);
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(rows.ids(), ["two"]);
    }

    #[test]
    fn no_statement_has_to_name_more_than_a_thousand() {
        let rows = PassedOver::default();
        for row in 0..PassedOver::MOST {
            assert!(rows.add(row.to_string(), &problem()));
        }
        assert!(!rows.add("one more".to_owned(), &problem()));
        assert!(rows.add("0".to_owned(), &problem()), "it is there");
        assert_eq!(rows.ids().len(), PassedOver::MOST);
    }
}
