//! The rules of the domain that statements repeat.
//!
//! A rule is a function of core: a step reads rows, and asks that function. A statement repeats a rule only where it must use
//! the rule to find rows, through an index, or to change more rows than are worth reading. This file has all such texts, and
//! its tests compare each with its function on random values.
//!
//! | text | function of [`a11ycheck_core::domain`] |
//! |---|---|
//! | [`in_history`], [`left_history`] | [`is_in_history`](a11ycheck_core::domain::is_in_history) |
//! | [`later_hold`] | [`purge_hold`](a11ycheck_core::domain::purge_hold) |
//! | [`scan_is_due`], [`scan_is_running`] | [`ScanState::is_due`](a11ycheck_core::domain::ScanState::is_due) |
//! | [`scan_is_offered`] | the same, and [`ScanState::is_left_to_others`](a11ycheck_core::domain::ScanState::is_left_to_others) |
//! | [`delivery_is_due`] | [`DeliveryState::due_at`](a11ycheck_core::domain::DeliveryState::due_at) |
//! | [`delivery_is_lost`] | [`DeliveryState::is_lost`](a11ycheck_core::domain::DeliveryState::is_lost) |
//! | [`delivery_has_left_log`] | [`DeliveryState::has_left_log`](a11ycheck_core::domain::DeliveryState::has_left_log) |
//! | [`delivery_is_under_way`] | [`Lease::has_expired`](a11ycheck_core::domain::Lease::has_expired) of an attempt |
//! | [`UNBLOCK_DELIVERIES`] | [`DeliveryState::unblocked`](a11ycheck_core::domain::DeliveryState::unblocked) |
//! | [`DROP_DELIVERIES`] | [`DeliveryState::dropped`](a11ycheck_core::domain::DeliveryState::dropped) |
//!
//! The parameters of a macro are SQL: an instant, a column, a parameter of the statement. Differences of instants are made in
//! Rust, so that statements only compare.

use a11ycheck_core::domain::DeliveryState;

/// The latest completed check of the site of a check `s`; NULL if there is none.
macro_rules! latest_completed {
    () => {
        "(
             SELECT l.id FROM scans AS l WHERE l.site_id = s.site_id AND l.outcome IS NOT NULL
             ORDER BY l.finished_at DESC, l.id DESC LIMIT 1
         )"
    };
}

/// The condition that a team whose history begins at the instant sees a check `s`.
macro_rules! in_history {
    ($start:literal) => {
        concat!(
            "(s.finished_at IS NULL OR s.queued_at >= ",
            $start,
            " OR s.id IS ",
            crate::twins::latest_completed!(),
            ")"
        )
    };
}

/// The opposite condition, in a form that an index on ended checks serves, which a negation does not.
macro_rules! left_history {
    ($start:literal) => {
        concat!(
            "s.finished_at IS NOT NULL AND s.queued_at < ",
            $start,
            " AND s.id IS NOT ",
            crate::twins::latest_completed!()
        )
    };
}

/// The end of a hold after a history became shorter: that of an earlier hold, which may be NULL, or that of the new
/// one.
macro_rules! later_hold {
    ($earlier:literal, $new:literal) => {
        concat!("max(coalesce(", $earlier, ", ", $new, "), ", $new, ")")
    };
}

/// The condition that a queued or running check is due at the instant. The first parameter goes before the columns.
macro_rules! scan_is_due {
    ($of:literal, $now:literal) => {
        concat!("(", $of, "lease_expires_at IS NULL OR ", $of, "lease_expires_at <= ", $now, ")")
    };
}

/// The condition that a worker has an active check at the instant, so that it is not due.
macro_rules! scan_is_running {
    ($of:literal, $now:literal) => {
        concat!($of, "lease_worker IS NOT NULL AND ", $of, "lease_expires_at > ", $now)
    };
}

/// The condition that an active check is due at the instant, and not left to the workers of other nodes. The prefix is
/// that of the names of the claiming node's workers. The last parameter is the instant less
/// [`ScanState::OTHERS_FIRST`](a11ycheck_core::domain::ScanState::OTHERS_FIRST).
macro_rules! scan_is_offered {
    ($of:literal, $now:literal, $prefix:literal, $others_first:literal) => {
        concat!(
            "(",
            $of,
            "lease_expires_at IS NULL OR ",
            $of,
            "lease_expires_at <= ",
            $now,
            " AND (substr(",
            $of,
            "lease_worker, 1, length(",
            $prefix,
            ")) <> ",
            $prefix,
            " OR ",
            $of,
            "lease_expires_at <= ",
            $others_first,
            "))"
        )
    };
}

/// The condition that a worker may claim a delivery at the instant, or abandon its attempt.
macro_rules! delivery_is_due {
    ($now:literal) => {
        concat!("state = 'pending' AND next_attempt_at <= ", $now)
    };
}

// The index of `delivery_is_lost` has this number: a number in the condition of an index must be the statement's own.
const _: () = assert!(DeliveryState::MAX_TRIES == 3);

/// The condition that a delivery lost its last worker before the instant.
macro_rules! delivery_is_lost {
    ($now:literal) => {
        concat!("state = 'pending' AND tries >= 3 AND next_attempt_at <= ", $now)
    };
}

/// The condition that a delivery ended before the instant at which the log begins.
macro_rules! delivery_has_left_log {
    ($start:literal) => {
        concat!("finished_at < ", $start)
    };
}

/// The condition that a worker has the attempt of a delivery in progress at the instant.
macro_rules! delivery_is_under_way {
    ($worker:literal, $now:literal) => {
        concat!("lease_worker = ", $worker, " AND next_attempt_at > ", $now)
    };
}

/// Unblocks the deliveries that wait for the first attempt of `?1`, which ended at `?2`.
pub(crate) const UNBLOCK_DELIVERIES: &str =
    "UPDATE deliveries SET after_id = NULL, next_attempt_at = ?2 WHERE after_id = ?1 AND state = 'pending'";

/// Drops the deliveries to the endpoint `?1`, which was switched off at `?2`.
pub(crate) const DROP_DELIVERIES: &str = "UPDATE deliveries
     SET state = 'dropped', finished_at = ?2, tries = 0, token = 0, after_id = NULL, next_attempt_at = NULL,
         lease_worker = NULL, lease_started_at = NULL
     WHERE endpoint_id = ?1 AND state = 'pending' AND (lease_worker IS NULL OR next_attempt_at <= ?2)";

pub(crate) use {
    delivery_has_left_log, delivery_is_due, delivery_is_lost, delivery_is_under_way, in_history, later_hold,
    latest_completed, left_history, scan_is_due, scan_is_offered, scan_is_running,
};
