//! The memory that a check leaves, besides its findings, for the next check of its site, and the rules for using it
//! (decision 0062).

use std::fmt;

use chrono::{DateTime, TimeDelta, Utc};

/// The memory of a completed check for the next check of its site: the parts from which the outcome of each page was
/// made.
#[derive(Clone, PartialEq, Eq)]
pub struct Memo {
    /// The end of the latest check of the site that examined every page itself.
    pub full_at: DateTime<Utc>,
    /// The instant until which every check of the site is full, because a page that seemed unchanged was not; `None` if
    /// there was no such page.
    pub barred_until: Option<DateTime<Utc>>,
    /// The pages, in a form that only the scanner reads. At most [`Memo::MAX_DOCUMENT`] bytes.
    pub document: Vec<u8>,
}

impl Memo {
    /// The greatest number of bytes of a document.
    pub const MAX_DOCUMENT: usize = 4 * 1024 * 1024;
    /// The time after a full check in which the checks of its site may be incremental.
    pub const FULL_EVERY: TimeDelta = TimeDelta::days(30);
    /// The time for which a site has only full checks after a contradiction.
    pub const BARRED_FOR: TimeDelta = TimeDelta::days(30);

    /// Returns the memo of a check that ends at `now` and took this course, with its document. `before` is the memo
    /// that the check was given.
    pub fn after(before: Option<&Self>, course: Course, document: Vec<u8>, now: DateTime<Utc>) -> Self {
        let full_at = match (course, before) {
            (Course::Incremental, Some(before)) => before.full_at,
            (Course::Incremental, None) | (Course::Full | Course::Contradicted, _) => now,
        };
        let barred_until = match course {
            Course::Contradicted => Some(now + Self::BARRED_FOR),
            Course::Full | Course::Incremental => before.and_then(|before| before.barred_until),
        };
        Self { full_at, barred_until, document }
    }
}

impl fmt::Debug for Memo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memo")
            .field("full_at", &self.full_at)
            .field("barred_until", &self.barred_until)
            .field("document", &self.document.len())
            .finish()
    }
}

/// The depth of a check, which says whether it may take over the outcome of pages that have not changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Depth {
    /// Every page is examined.
    #[default]
    Full,
    /// Pages that are proven unchanged may keep the outcome that they had.
    Incremental,
}

impl Depth {
    /// Returns the depth of a check that begins at `now` and was asked to have the depth `asked`. `memo` is that of the
    /// previous check. It is [`Incremental`](Self::Incremental) only if that was asked for, less than
    /// [`Memo::FULL_EVERY`] has passed since the latest full check, and the site is not barred.
    pub fn of(asked: Self, memo: Option<&Memo>, now: DateTime<Utc>) -> Self {
        let may_reuse =
            |memo: &Memo| now < memo.full_at + Memo::FULL_EVERY && memo.barred_until.is_none_or(|until| until <= now);
        match asked {
            Self::Incremental if memo.is_some_and(may_reuse) => Self::Incremental,
            Self::Incremental | Self::Full => Self::Full,
        }
    }

    /// Returns whether it is incremental.
    pub const fn is_incremental(self) -> bool {
        matches!(self, Self::Incremental)
    }
}

/// The course that a check took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Course {
    /// It examined every page.
    Full,
    /// It took over the outcome of at least one page.
    Incremental,
    /// It was to be incremental, but a page that seemed unchanged had another outcome: it examined every page.
    Contradicted,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memo(full_at: DateTime<Utc>, barred_until: Option<DateTime<Utc>>) -> Memo {
        Memo { full_at, barred_until, document: vec![1] }
    }

    #[test]
    fn a_check_that_may_reuse_does_so_for_thirty_days_after_a_full_one_unless_the_site_is_barred() {
        let now = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        let of = |memo: &Memo, days: i64| Depth::of(Depth::Incremental, Some(memo), now + TimeDelta::days(days));
        let usual = memo(now, None);
        assert_eq!(
            (of(&usual, 0), of(&usual, 29), of(&usual, 30)),
            (Depth::Incremental, Depth::Incremental, Depth::Full)
        );
        let barred = memo(now, Some(now + TimeDelta::days(7)));
        assert_eq!((of(&barred, 0), of(&barred, 6), of(&barred, 7)), (Depth::Full, Depth::Full, Depth::Incremental));
        assert_eq!(Depth::of(Depth::Incremental, None, now), Depth::Full);
        assert_eq!(Depth::of(Depth::Full, Some(&usual), now), Depth::Full);
    }

    #[test]
    fn a_check_that_took_something_over_is_no_full_one_and_a_contradiction_bars_the_site() {
        let now = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        let day = |days: i64| now + TimeDelta::days(days);
        let first = Memo::after(None, Course::Full, vec![1], now);
        assert_eq!(first, memo(now, None));
        let second = Memo::after(Some(&first), Course::Incremental, vec![1], day(1));
        assert_eq!(second, memo(now, None));
        let contradicted = Memo::after(Some(&second), Course::Contradicted, vec![1], day(2));
        assert_eq!(contradicted, memo(day(2), Some(day(32))));
        let barred = Memo::after(Some(&contradicted), Course::Full, vec![1], day(3));
        assert_eq!(barred, memo(day(3), Some(day(32))));
    }
}
