//! The log of occurrences in the state.

use std::collections::VecDeque;

use a11ycheck_core::{
    domain::{Scan, ScanEventEntry, ScanEventKind},
    store::{EventPage, ReadEventsError, StoreError, Work, transfer::StoredEntry},
};
use chrono::{DateTime, Utc};

use crate::db::state::{State, corrupt};

/// The log. Entries have their positions from the beginning: one step takes effect after the other, and none late.
#[derive(Default)]
pub(crate) struct ScanLog {
    /// The entries that were not purged, each with its instant, in their order.
    entries: VecDeque<(DateTime<Utc>, ScanEventEntry)>,
    newest: u64,
}

impl ScanLog {
    /// Returns the position of the newest entry.
    pub(crate) const fn newest(&self) -> u64 {
        self.newest
    }

    /// Returns at most `limit` entries after a position.
    pub(crate) fn read(&self, after: u64, limit: u32) -> Result<EventPage, ReadEventsError> {
        let purged = self.newest - self.entries.len() as u64;
        let Some(read) = after.checked_sub(purged) else { return Err(ReadEventsError::Lagged(purged)) };
        let (read, limit) = [read, limit.into()].map(|number| usize::try_from(number).unwrap_or(usize::MAX)).into();
        let entries: Vec<_> = self.entries.iter().skip(read).take(limit).map(|(_, entry)| *entry).collect();
        let reached = entries.last().map_or(after, |entry| entry.position);
        Ok(EventPage { reached, more: entries.len() == limit, entries })
    }

    /// Returns the entries that were not purged, in their order.
    pub(crate) fn entries(&self) -> impl Iterator<Item = StoredEntry> {
        self.entries.iter().map(|(at, entry)| StoredEntry { entry: *entry, at: *at })
    }

    /// Returns a log with these entries, the last of which has the position `newest`.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if a position is missing.
    pub(crate) fn restored(entries: Vec<StoredEntry>, newest: u64) -> Result<Self, StoreError> {
        let purged = newest.checked_sub(entries.len() as u64);
        let positions = entries.iter().map(|stored| stored.entry.position);
        if !purged.is_some_and(|purged| positions.eq(purged + 1..=newest)) {
            return Err(corrupt("the log of occurrences", "it has a gap"));
        }
        Ok(Self { entries: entries.into_iter().map(|StoredEntry { entry, at }| (at, entry)).collect(), newest })
    }

    /// Deletes at most `limit` entries that are older than `since`, and returns how many.
    pub(crate) fn purge(&mut self, since: DateTime<Utc>, limit: u32) -> u32 {
        let old = self.entries.iter().map_while(|(at, _)| (*at < since).then_some(()));
        let old = old.take(usize::try_from(limit).unwrap_or(usize::MAX)).count();
        self.entries.drain(..old);
        // Not more than `limit`, which is a u32.
        u32::try_from(old).unwrap_or(limit)
    }
}

impl State {
    /// Writes an entry about a check.
    pub(crate) fn log(&mut self, kind: ScanEventKind, scan: &Scan, now: DateTime<Utc>) {
        self.scan_log.newest += 1;
        let position = self.scan_log.newest;
        let entry = ScanEventEntry { position, kind, team: scan.team, site: scan.site, scan: scan.id };
        self.scan_log.entries.push_back((now, entry));
        self.hints.give(Work::Events);
    }
}
