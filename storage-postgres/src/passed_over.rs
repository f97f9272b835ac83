//! Rows of queues that can't be read. They must not hold up those behind them.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

use crate::error::Corrupt;

/// What this process could not read, by id. Nothing is changed in the database: another node may be of a version that reads
/// it, and an operator may mend it.
#[derive(Debug, Default)]
pub(crate) struct PassedOver(Mutex<HashMap<String, Instant>>);

impl PassedOver {
    /// After which a row is read again.
    const TERM: Duration = Duration::from_secs(600);
    /// Rows that are passed over at a time. More of them are no accident.
    const MOST: usize = 1_000;

    /// The ids of rows that are not worth reading now.
    pub(crate) fn ids(&self) -> Vec<String> {
        let mut rows = self.lock();
        rows.retain(|_, since| since.elapsed() < Self::TERM);
        rows.keys().cloned().collect()
    }

    /// Passes over a row from now on, and says so in the log.
    ///
    /// # Errors
    /// `problem`, when there are too many already.
    pub(crate) fn add(&self, id: String, problem: Corrupt) -> Result<(), Corrupt> {
        let mut rows = self.lock();
        if rows.len() >= Self::MOST {
            return Err(problem);
        }
        tracing::error!(
            error = &problem as &dyn std::error::Error,
            "Work that can't be read is passed over; it is looked at again in ten minutes"
        );
        rows.insert(id, Instant::now());
        Ok(())
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
        rows.add("one".to_owned(), problem()).unwrap();
        tokio::time::advance(Duration::from_secs(599)).await;
        rows.add("two".to_owned(), problem()).unwrap();
        assert_eq!(rows.ids().len(), 2);
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(rows.ids(), ["two"]);
    }

    #[test]
    fn a_database_full_of_nonsense_is_an_error() {
        let rows = PassedOver::default();
        for row in 0..PassedOver::MOST {
            rows.add(row.to_string(), problem()).unwrap();
        }
        rows.add("one more".to_owned(), problem()).unwrap_err();
    }
}
