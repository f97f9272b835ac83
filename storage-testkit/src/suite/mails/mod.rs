//! The suite for stores that keep the mail that is to be sent.

pub(super) mod notices;
pub(super) mod resets;
pub(super) mod sending;
pub(super) mod steps;

use a11ycheck_core::{Store, store::MailStore};
use tokio::runtime::Builder;

use self::{notices::*, resets::*, sending::*};
use crate::StoreFactory;

/// Makes one `#[test]` of every case of the suite for a [`MailStore`], for the stores of this
/// [`StoreFactory`](crate::StoreFactory): an expression that is evaluated for each case.
///
/// It is apart from [`people_suite!`](crate::people_suite), which such a store passes as well.
#[macro_export]
macro_rules! mail_suite {
    ($factory:expr $(,)?) => {
        $crate::mail_suite! { @cases (tests ($factory)) }
    };
    // The only list, as in `store_cases!`.
    (@cases ($made:ident $arguments:tt)) => {
        $crate::mail_suite! {
            @$made $arguments
            a_new_store_has_no_mail,
            an_invitation_is_mailed_with_a_link_of_its_own_and_not_once_it_is_withdrawn,
            a_refused_invitation_leaves_no_mail,
            a_mail_that_is_put_off_is_due_again_later_and_each_attempt_has_its_link,
            a_mail_that_is_refused_for_good_or_too_often_fails_and_is_listed,
            a_mail_whose_worker_died_is_sent_by_another_and_its_late_end_is_refused,
            of_many_workers_at_once_one_gets_a_mail,
            a_reset_is_sent_to_a_person_and_dropped_for_anybody_else,
            a_reset_link_sets_the_password_once_within_an_hour_and_ends_all_sessions,
            a_reset_link_used_by_many_at_once_works_once,
            a_reset_link_ends_when_the_password_is_set_by_other_means,
            an_address_gets_a_bounded_number_of_resets,
            of_resets_that_are_asked_for_at_once_no_more_than_the_bound_are_sent,
            a_failed_check_is_told_to_those_who_can_help_and_want_to_know,
            a_failing_site_is_told_of_once_for_each_reason,
            a_check_that_is_given_up_is_told_of,
            an_endpoint_that_is_switched_off_by_its_failures_is_told_of_and_by_a_person_not,
            nothing_is_written_while_nobody_sends_mail,
            a_notice_that_nobody_wants_any_more_is_dropped,
            notices_are_switched_off_by_the_link_of_a_notice_and_by_no_other,
            old_mail_is_purged,
            a_deleted_team_leaves_no_mail,
        }
    };
    (@tests ($factory:expr) $($case:ident,)*) => {
        mod mails {
            #[allow(unused_imports, reason = "the factory may need nothing of its surroundings")]
            use super::*;

            $(
                #[test]
                fn $case() {
                    $crate::run_mail_case(&$factory, stringify!($case));
                }
            )*
        }
    };
    (@run ($factory:ident, $case_name:ident) $($case:ident,)*) => {
        match $case_name {
            $(stringify!($case) => Box::pin($case($factory)).await,)*
            _ => panic!("the mail suite has no case `{}`", $case_name),
        }
    };
}

/// Runs a case by its name, in a runtime of its own.
///
/// # Panics
/// Panics if the promise is broken, or if there is no such case.
#[doc(hidden)]
pub fn run_mail_case<S: Store + MailStore>(factory: &impl StoreFactory<Store = S>, case: &str) {
    let runtime = Builder::new_multi_thread().worker_threads(4).enable_all().build();
    runtime.unwrap().block_on(async {
        crate::mail_suite! { @cases (run (factory, case)) }
    });
}
