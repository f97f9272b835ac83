//! Rows of queues that can't be read. They must not hold up those behind them.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

use crate::db::error::Corrupt;

/// The rows that this process could not read, for each queue separately.
#[derive(Debug, Default)]
pub(crate) struct Unreadable {
    /// The ids of checks.
    pub(crate) scans: Skipped,
    /// The ids of teams and of sites that fall due.
    pub(crate) due: Skipped,
    /// The ids of endpoints and of deliveries.
    pub(crate) deliveries: Skipped,
}

/// The rows that this process could not read, by id. Nothing is changed in the database: another node may be of a
/// version that reads them, and an operator may repair them.
#[derive(Debug, Default)]
pub(crate) struct Skipped(Mutex<Rows>);

#[derive(Debug, Default)]
struct Rows {
    /// The instant at which each row could not be read.
    since: HashMap<String, Instant>,
    /// The instant at which the log last said that there is no room for more.
    full_since: Option<Instant>,
}

/// The place of a row that could not be read among those that are skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// It was skipped before.
    Known,
    /// Later reads skip it.
    Added,
    /// There is no room for it, and the log `said` so less than [`Skipped::TERM`] ago.
    None { said: bool },
}

impl Skipped {
    /// The time after which a row is read again.
    const TERM: Duration = Duration::from_secs(600);
    /// The greatest number of ids that are skipped at a time: statements name them all.
    const MOST: usize = 1_000;

    /// Returns the ids of the rows that are not worth reading now.
    pub(crate) fn ids(&self) -> Vec<String> {
        let mut rows = self.lock();
        rows.since.retain(|_, since| since.elapsed() < Self::TERM);
        rows.since.keys().cloned().collect()
    }

    /// Skips a row for [`TERM`](Self::TERM), and logs that; `false` if there are too many already, so that the next claim
    /// finds it again. The log then says so once in [`TERM`](Self::TERM), not at every claim.
    pub(crate) fn add(&self, id: String, problem: &Corrupt) -> bool {
        let error = problem as &dyn std::error::Error;
        match self.place(id) {
            Place::Known => {}
            Place::Added => {
                tracing::error!(error, "Work that can't be read is skipped; it is read again in ten minutes")
            }
            Place::None { said: true } => return false,
            Place::None { said: false } => {
                tracing::error!(
                    error,
                    most = Self::MOST,
                    "More work can't be read than can be skipped: it may delay other work until it is repaired"
                );
                return false;
            }
        }
        true
    }

    fn place(&self, id: String) -> Place {
        let mut rows = self.lock();
        if rows.since.contains_key(&id) {
            return Place::Known;
        }
        let now = Instant::now();
        if rows.since.len() < Self::MOST {
            rows.since.insert(id, now);
            return Place::Added;
        }
        let said = rows.full_since.is_some_and(|since| now - since < Self::TERM);
        if !said {
            rows.full_since = Some(now);
        }
        Place::None { said }
    }

    fn lock(&self) -> MutexGuard<'_, Rows> {
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
    async fn what_was_repaired_is_read_again_after_ten_minutes() {
        let rows = Skipped::default();
        assert!(rows.add("one".to_owned(), &problem()));
        tokio::time::advance(Duration::from_secs(599)).await;
        assert!(rows.add("two".to_owned(), &problem()));
        assert_eq!(rows.ids().len(), 2);
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(rows.ids(), ["two"]);
    }

    #[test]
    fn no_statement_has_to_name_more_than_a_thousand() {
        let rows = Skipped::default();
        for row in 0..Skipped::MOST {
            assert!(rows.add(row.to_string(), &problem()));
        }
        assert!(!rows.add("one more".to_owned(), &problem()));
        assert!(rows.add("0".to_owned(), &problem()), "it is there");
        assert_eq!(rows.ids().len(), Skipped::MOST);
    }

    #[tokio::test(start_paused = true)]
    async fn rows_that_find_no_room_do_not_fill_the_log_however_often_they_are_met() {
        let rows = Skipped::default();
        for row in 0..Skipped::MOST {
            assert_eq!(rows.place(row.to_string()), Place::Added);
        }
        assert_eq!(rows.place("one more".to_owned()), Place::None { said: false });
        for claim in 0..100 {
            assert_eq!(rows.place(format!("{} more", claim % 7)), Place::None { said: true });
        }
        tokio::time::advance(Skipped::TERM - Duration::from_secs(1)).await;
        assert_eq!(rows.place("one more".to_owned()), Place::None { said: true });
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(rows.place("one more".to_owned()), Place::None { said: false });
        assert_eq!(rows.place("one more".to_owned()), Place::None { said: true });
    }
}
