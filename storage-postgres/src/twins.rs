//! The rules of the domain that statements repeat.
//!
//! A rule is a function of core: a step locks rows, reads them, and asks that function. A statement repeats a rule only
//! where it must use the rule to find rows, through an index, or to change more rows than are worth reading; or where a
//! lock would cost each request a second statement, as with the counters. This file has all such texts.
//! `tests/database/rules.rs` compares each with its function on random values in a real database.
//!
//! | text | function of [`a11ycheck_core::domain`] |
//! |---|---|
//! | [`in_history`], [`left_history`], [`leaves_history_at`] | [`is_in_history`](a11ycheck_core::domain::is_in_history) |
//! | [`is_held`] | [`is_held`](a11ycheck_core::domain::is_held) |
//! | [`later_hold`] | [`purge_hold`](a11ycheck_core::domain::purge_hold) |
//! | [`merged_plan`] | [`Plan::in_place_of`](a11ycheck_core::domain::Plan::in_place_of) |
//! | [`counted`], [`counted_more`], [`lasting_windows_admit`] | [`RateCounters::admit`](a11ycheck_core::domain::RateCounters::admit) |
//! | [`counts_at`] | [`RateCounters::counts_at`](a11ycheck_core::domain::RateCounters::counts_at) |
//! | [`given_back`] | [`RateCounters::give_back`](a11ycheck_core::domain::RateCounters::give_back) |
//! | [`manual_check_started`] | [`ManualChecks::started`](a11ycheck_core::domain::ManualChecks::started) |
//! | [`scan_is_due`], [`scan_is_running`] | [`ScanState::is_due`](a11ycheck_core::domain::ScanState::is_due) |
//! | [`scan_is_offered`] | the same, and [`ScanState::is_left_to_others`](a11ycheck_core::domain::ScanState::is_left_to_others) |
//! | [`delivery_is_due`] | [`DeliveryState::due_at`](a11ycheck_core::domain::DeliveryState::due_at) |
//! | [`delivery_is_lost`] | [`DeliveryState::is_lost`](a11ycheck_core::domain::DeliveryState::is_lost) |
//! | [`delivery_has_left_log`] | [`DeliveryState::has_left_log`](a11ycheck_core::domain::DeliveryState::has_left_log) |
//! | [`delivery_is_under_way`] | [`Lease::has_expired`](a11ycheck_core::domain::Lease::has_expired) of an attempt |
//! | [`UNBLOCK_DELIVERIES`] | [`DeliveryState::unblocked`](a11ycheck_core::domain::DeliveryState::unblocked) |
//! | [`DROP_DELIVERIES`] | [`DeliveryState::dropped`](a11ycheck_core::domain::DeliveryState::dropped) |
//! | [`secrets_are_opened_by`] | [`EndpointSecrets::are_opened_by`](a11ycheck_core::domain::EndpointSecrets::are_opened_by) |
//! | [`ROTATE_SECRET`] | [`EndpointSecrets::rotated`](a11ycheck_core::domain::EndpointSecrets::rotated) |
//!
//! The parameters of a macro are SQL: an instant, a column, a parameter of the statement.

use a11ycheck_core::domain::DeliveryState;

/// The latest completed check of the site of a check `s`.
macro_rules! latest_completed {
    () => {
        "(
             SELECT id FROM scans WHERE site_id = s.site_id AND outcome IS NOT NULL
             ORDER BY finished_at DESC, id DESC LIMIT 1
         )"
    };
}

/// The condition that a team on the plan sees a check `s` at the instant.
macro_rules! in_history {
    ($now:literal, $plan:literal) => {
        concat!(
            "(s.finished_at IS NULL OR s.queued_at >= history_start(",
            $now,
            ", ",
            $plan,
            ") OR s.id = ",
            crate::twins::latest_completed!(),
            ")"
        )
    };
}

/// The opposite condition, in a form that an index on ended checks serves, which a negation does not.
macro_rules! left_history {
    ($now:literal, $plan:literal) => {
        concat!(
            "s.finished_at IS NOT NULL AND s.queued_at < history_start(",
            $now,
            ", ",
            $plan,
            ") AND s.id IS DISTINCT FROM ",
            crate::twins::latest_completed!()
        )
    };
}

/// The instant from which a team on the plan no longer sees an ended check that is not its site's latest completed one.
macro_rules! leaves_history_at {
    ($queued_at:literal, $plan:literal) => {
        concat!("history_end(", $queued_at, ", ", $plan, ")")
    };
}

/// The condition that a hold, which may be NULL, is in force at the instant; NULL if there is none.
macro_rules! is_held {
    ($held_until:literal, $now:literal) => {
        concat!($held_until, " > ", $now)
    };
}

/// The end of a hold after a history became shorter: that of an earlier hold, which may be NULL, or that of the new
/// one.
macro_rules! later_hold {
    ($earlier:literal, $new:literal) => {
        concat!("greatest(", $earlier, ", ", $new, ")")
    };
}

/// The document of a plan that replaces a stored one of its code. A plan writes all fields that this release knows; the
/// fields of a later release stay.
macro_rules! merged_plan {
    ($stored:literal, $new:literal) => {
        concat!(
            $stored,
            " || ",
            $new,
            " || jsonb_build_object(
                 'features', (",
            $stored,
            " -> 'features') || (",
            $new,
            " -> 'features'),
                 'limits', (",
            $stored,
            " -> 'limits') || (",
            $new,
            " -> 'limits')
             )"
        )
    };
}

/// The instant at which a request that arrives at the instant counts in counters `c`.
macro_rules! counts_at {
    ($now:literal) => {
        concat!("greatest(", $now, ", c.general_started_at, c.files_started_at)")
    };
}

/// The statement of [`RateCounters::admit`](a11ycheck_core::domain::RateCounters::admit): it counts a request, up to
/// the response, on a row that no other request can change meanwhile. Its result is given to the domain again each
/// time.
///
/// `asked` is a query of one row (key, `general_limit`, `files_limit`, at), or of none if there is nothing to count.
/// `$1` is whether the request is for a file, `$2` the length of a window; the parameters that `asked` needs come after
/// them.
macro_rules! counted {
    ($asked:literal) => {
        concat!(
            "WITH asked AS MATERIALIZED (",
            $asked,
            "), counted AS (
                INSERT INTO request_counters AS c
                    (key, general_started_at, general_used, files_started_at, files_used, counted_at, admitted, ends_at)
                SELECT
                    asked.key,
                    CASE WHEN first.admitted THEN asked.at END,
                    first.admitted::integer,
                    CASE WHEN first.admitted AND $1 THEN asked.at END,
                    (first.admitted AND $1)::integer,
                    asked.at,
                    first.admitted,
                    CASE WHEN first.admitted THEN asked.at + $2 ELSE asked.at END
                FROM asked
                CROSS JOIN LATERAL (
                    SELECT asked.general_limit > 0 AND (NOT $1 OR asked.files_limit > 0) AS admitted
                ) AS first
                ON CONFLICT (key) DO UPDATE SET
                    (general_started_at, general_used, files_started_at, files_used, counted_at, admitted, ends_at) = (
                        SELECT
                            after.general_started_at,
                            after.general_used,
                            after.files_started_at,
                            after.files_used,
                            counts.at,
                            judged.admitted,
                            coalesce(greatest(after.general_started_at, after.files_started_at) + $2, counts.at)
                        FROM asked
                        CROSS JOIN LATERAL (
                            SELECT ",
            crate::twins::counts_at!("asked.at"),
            " AS at
                        ) AS counts
                        CROSS JOIN LATERAL (
                            SELECT
                                coalesce(counts.at < c.general_started_at + $2, false) AS general_lasts,
                                coalesce(counts.at < c.files_started_at + $2, false) AS files_last
                        ) AS windows
                        CROSS JOIN LATERAL (
                            SELECT
                                CASE WHEN general_lasts THEN c.general_started_at ELSE counts.at END AS general_started_at,
                                CASE WHEN general_lasts THEN c.general_used ELSE 0 END AS general_used,
                                CASE WHEN files_last THEN c.files_started_at ELSE counts.at END AS files_started_at,
                                CASE WHEN files_last THEN c.files_used ELSE 0 END AS files_used
                        ) AS current
                        CROSS JOIN LATERAL (
                            SELECT current.general_used < asked.general_limit
                                AND (NOT $1 OR current.files_used < asked.files_limit) AS admitted
                        ) AS judged
                        CROSS JOIN LATERAL (
                            SELECT
                                CASE WHEN admitted THEN current.general_started_at ELSE c.general_started_at END
                                    AS general_started_at,
                                CASE WHEN admitted THEN current.general_used + 1 ELSE c.general_used END AS general_used,
                                CASE WHEN admitted AND $1 THEN current.files_started_at ELSE c.files_started_at END
                                    AS files_started_at,
                                CASE WHEN admitted AND $1 THEN current.files_used + 1 ELSE c.files_used END AS files_used
                        ) AS after
                    )
                RETURNING c.*
            )"
        )
    };
}

/// The assignments that count `number` requests at the instant `now` in counters `c`. They are right only where
/// [`lasting_windows_admit`] holds.
macro_rules! counted_more {
    ($is_file:literal, $number:literal, $now:literal) => {
        concat!(
            "general_used = c.general_used + ",
            $number,
            ", files_used = c.files_used + (",
            $is_file,
            ")::integer * ",
            $number,
            ", counted_at = ",
            crate::twins::counts_at!($now),
            ", admitted = true"
        )
    };
}

/// The condition that counters `c` admit all of `number` requests at the instant `now`, and that none of them begins a
/// window. It holds for nearly all requests, and costs a fraction of [`counted`], which decides about each request
/// where it does not hold.
macro_rules! lasting_windows_admit {
    ($is_file:literal, $length:literal, $number:literal, $now:literal, $general_limit:literal, $files_limit:literal) => {
        concat!(
            "c.general_used + ",
            $number,
            " <= ",
            $general_limit,
            " AND ",
            crate::twins::counts_at!($now),
            " < c.general_started_at + ",
            $length,
            " AND (NOT ",
            $is_file,
            " OR c.files_used + ",
            $number,
            " <= ",
            $files_limit,
            " AND ",
            crate::twins::counts_at!($now),
            " < c.files_started_at + ",
            $length,
            ")"
        )
    };
}

/// The assignments that give back a request that was counted at the instant, in counters `c`. The other parameters are
/// whether the request is for a file, and the length of a window.
macro_rules! given_back {
    ($is_file:literal, $length:literal, $counted_at:literal) => {
        concat!(
            "general_used = CASE
                 WHEN ",
            $counted_at,
            " >= c.general_started_at AND ",
            $counted_at,
            " < c.general_started_at + ",
            $length,
            "
                 THEN greatest(c.general_used - 1, 0) ELSE c.general_used
             END,
             files_used = CASE
                 WHEN ",
            $is_file,
            " AND ",
            $counted_at,
            " >= c.files_started_at AND ",
            $counted_at,
            " < c.files_started_at + ",
            $length,
            "
                 THEN greatest(c.files_used - 1, 0) ELSE c.files_used
             END"
        )
    };
}

/// The assignments after a manual check of a site was started at the instant.
macro_rules! manual_check_started {
    ($now:literal) => {
        concat!("last_manual_at = ", $now, ", previous_manual_at = last_manual_at")
    };
}

/// The condition that a queued or running check is due at the instant.
macro_rules! scan_is_due {
    ($now:literal) => {
        concat!("(lease_expires_at IS NULL OR lease_expires_at <= ", $now, ")")
    };
}

/// The condition that a worker has an active check at the instant, so that it is not due.
macro_rules! scan_is_running {
    ($now:literal) => {
        concat!("lease_worker IS NOT NULL AND lease_expires_at > ", $now)
    };
}

/// The condition that an active check is due at the instant, and not left to the workers of other nodes. The prefix is
/// that of the names of the claiming node's workers. The last parameter is
/// [`ScanState::OTHERS_FIRST`](a11ycheck_core::domain::ScanState::OTHERS_FIRST).
macro_rules! scan_is_offered {
    ($now:literal, $prefix:literal, $others_first:literal) => {
        concat!(
            "(lease_expires_at IS NULL OR lease_expires_at <= ",
            $now,
            " AND (
                 NOT starts_with(lease_worker, ",
            $prefix,
            ") OR lease_expires_at <= ",
            $now,
            " - ",
            $others_first,
            "::interval))"
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

/// The condition that a delivery ended longer ago than the log reaches, whose length is the last parameter.
macro_rules! delivery_has_left_log {
    ($now:literal, $term:literal) => {
        concat!("finished_at < ", $now, " - ", $term)
    };
}

/// The condition that a worker has the attempt of a delivery in progress at the instant.
macro_rules! delivery_is_under_way {
    ($worker:literal, $now:literal) => {
        concat!("lease_worker = ", $worker, " AND next_attempt_at > ", $now)
    };
}

/// Unblocks the deliveries that wait for the first attempt of `$1`, which ended at `$2`.
pub(crate) const UNBLOCK_DELIVERIES: &str =
    "UPDATE deliveries SET after_id = NULL, next_attempt_at = $2 WHERE after_id = $1 AND state = 'pending'";

/// Drops the deliveries to the endpoint `$1`, which was switched off at `$2`.
pub(crate) const DROP_DELIVERIES: &str = "UPDATE deliveries
     SET state = 'dropped', finished_at = $2, tries = 0, token = 0, after_id = NULL, next_attempt_at = NULL,
         lease_worker = NULL, lease_started_at = NULL
     WHERE endpoint_id = $1 AND state = 'pending' AND (lease_worker IS NULL OR next_attempt_at <= $2)";

/// The condition that keys open all secrets of an endpoint `e`; not met if one is not sealed yet.
macro_rules! secrets_are_opened_by {
    ($keys:literal) => {
        concat!(
            "e.sealed_with = ANY (",
            $keys,
            ") AND (e.previous_until IS NULL OR e.sealed_previous_with = ANY (",
            $keys,
            "))"
        )
    };
}

/// Gives the endpoint `$2` of the team `$1` the secret `$5`, sealed with `$6`: the present one signs along for the time
/// `$4` from `$3`. It may not be sealed yet.
pub(crate) const ROTATE_SECRET: &str = "UPDATE endpoints
     SET previous_secret = secret, sealed_previous = sealed_secret, sealed_previous_with = sealed_with,
         previous_until = coalesce($3, clock_timestamp()) + $4,
         secret = NULL, sealed_secret = $5, sealed_with = $6
     WHERE team_id = $1 AND id = $2";

pub(crate) use {
    counted, counted_more, counts_at, delivery_has_left_log, delivery_is_due, delivery_is_lost, delivery_is_under_way,
    given_back, in_history, is_held, lasting_windows_admit, later_hold, latest_completed, leaves_history_at,
    left_history, manual_check_started, merged_plan, scan_is_due, scan_is_offered, scan_is_running,
    secrets_are_opened_by,
};
