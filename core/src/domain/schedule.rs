//! The schedule of the checks of a site.

use chrono::{DateTime, TimeDelta, Utc};
use sha2::{Digest as _, Sha256};

use super::CheckFrequency;
use crate::id::SiteId;

impl CheckFrequency {
    /// Returns the time between two checks; a month counts as 30 days, so that checks do not drift through the
    /// calendar.
    pub const fn period(self) -> TimeDelta {
        match self {
            Self::Daily | Self::Unknown(_) => TimeDelta::days(1),
            Self::Weekly => TimeDelta::days(7),
            Self::Monthly => TimeDelta::days(30),
        }
    }
}

/// Returns the instant of the next check of a site: between half a period and one and a half periods after `now`.
///
/// Each site has its own fixed point in the period, derived from its id, so that a thousand sites that are added
/// together become due spread over the whole period, and a late scheduler does not shift the point.
pub fn next_scan_at(site: SiteId, frequency: CheckFrequency, now: DateTime<Utc>) -> DateTime<Utc> {
    let period = frequency.period().num_seconds();
    let digest = Sha256::digest(site.to_string().as_bytes());
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&digest[..8]);
    // The remainder of a division by a number of type i64 fits into i64.
    let phase = i64::try_from(u64::from_le_bytes(bytes) % period.unsigned_abs()).unwrap_or(0);
    let earliest = now.timestamp() + period / 2;
    let wait = (phase - earliest).rem_euclid(period);
    DateTime::from_timestamp(earliest + wait, 0).unwrap_or(now + frequency.period())
}

/// Returns the instant of the next check of a site that was scheduled for `planned`, once its team is on a plan of this
/// frequency: it may become earlier, and never later.
pub fn brought_forward(
    site: SiteId,
    frequency: CheckFrequency,
    planned: DateTime<Utc>,
    now: DateTime<Utc>,
) -> DateTime<Utc> {
    planned.min(next_scan_at(site, frequency, now))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_that_is_checked_on_time_or_late_keeps_its_point_in_the_period() {
        let now = Utc::now();
        let site = SiteId::generate(now);
        for frequency in [CheckFrequency::Daily, CheckFrequency::Weekly, CheckFrequency::Monthly] {
            let first = next_scan_at(site, frequency, now);
            assert!(first - now >= frequency.period() / 2 - TimeDelta::seconds(1), "{first}");
            assert!(first - now <= frequency.period() * 3 / 2, "{first}");
            assert_eq!(next_scan_at(site, frequency, first), first + frequency.period());
            assert_eq!(next_scan_at(site, frequency, first + TimeDelta::hours(5)), first + frequency.period());
        }
    }

    #[test]
    fn a_thousand_sites_added_together_do_not_fall_due_together() {
        let now = Utc::now();
        let mut per_day = [0; 8];
        for _ in 0..1_000 {
            let wait = next_scan_at(SiteId::generate(now), CheckFrequency::Weekly, now) - now - TimeDelta::hours(84);
            per_day[usize::try_from(wait.num_hours().max(0) / 24).unwrap()] += 1;
        }
        assert!(per_day[..7].iter().all(|count| (80..220).contains(count)), "{per_day:?}");
    }
}
