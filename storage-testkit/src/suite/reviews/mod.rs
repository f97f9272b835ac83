//! The suite for stores that keep what people decide about elements.

pub(super) mod assessments;
pub(super) mod assignments;
pub(super) mod batches;
pub(super) mod judgements;
pub(super) mod steps;

use a11ycheck_core::{Store, store::ReviewStore};
use tokio::runtime::Builder;

use self::{assessments::*, assignments::*, batches::*, judgements::*};
use crate::StoreFactory;

/// Makes one `#[test]` of every case of the suite for a [`ReviewStore`], for the stores of this
/// [`StoreFactory`](crate::StoreFactory): an expression that is evaluated for each case.
///
/// It is apart from [`people_suite!`](crate::people_suite), which such a store passes as well.
#[macro_export]
macro_rules! review_suite {
    ($factory:expr $(,)?) => {
        $crate::review_suite! { @cases (tests ($factory)) }
    };
    // The only list, as in `store_cases!`.
    (@cases ($made:ident $arguments:tt)) => {
        $crate::review_suite! {
            @$made $arguments
            a_new_site_has_no_judgements,
            a_judgement_reads_as_it_was_made,
            words_of_a_later_release_are_kept,
            judgements_are_listed_the_newest_first_page_by_page,
            a_judgement_takes_the_place_of_the_one_about_the_same_and_of_the_one_that_is_named,
            several_judgements_are_kept_at_once_with_one_entry_or_none_is,
            a_judgement_that_is_removed_is_gone_and_a_second_time_there_is_none,
            what_was_judged_is_in_the_log_once_and_what_was_refused_is_not,
            a_site_has_a_bounded_number_of_judgements_also_when_many_judge_at_once,
            of_many_who_judge_the_same_element_at_once_one_judgement_stays,
            judgements_belong_to_the_team_of_their_site,
            a_deleted_site_and_a_deleted_team_leave_no_judgements,
            an_assignment_reads_as_it_was_made_and_changed,
            an_assignment_takes_the_place_of_the_one_about_the_same,
            only_a_member_is_assigned_something_and_who_leaves_leaves_it_to_nobody,
            nobody_who_leaves_meanwhile_is_assigned_something,
            assignments_are_listed_by_the_day_on_which_they_are_due,
            what_was_done_before_a_check_that_finds_it_is_open_again,
            assignments_belong_to_the_team_of_their_site_and_end_with_it,
            a_site_has_a_bounded_number_of_assignments,
            sites_with_assignments_are_listed_once_in_the_order_of_sites,
            decisions_that_were_made_at_once_are_undone_exactly,
            what_somebody_decided_after_a_batch_is_not_undone_with_it,
            assignments_that_were_made_at_once_are_undone_exactly,
            a_batch_that_is_over_or_of_others_is_not_undone,
            a_batch_is_undone_once_however_many_ask_at_once,
            five_thousand_decisions_are_one_step,
            assessments_read_as_they_were_made_in_the_order_of_the_standard,
            an_assessment_takes_the_place_of_the_one_of_the_same_criterion_and_others_stay,
            what_was_said_about_criteria_is_in_the_log_once_and_what_changes_nothing_is_not,
            of_many_who_assess_a_criterion_at_once_one_assessment_stays,
            assessments_belong_to_the_team_of_their_site_and_end_with_it,
        }
    };
    (@tests ($factory:expr) $($case:ident,)*) => {
        mod reviews {
            #[allow(unused_imports, reason = "the factory may need nothing of its surroundings")]
            use super::*;

            $(
                #[test]
                fn $case() {
                    $crate::run_review_case(&$factory, stringify!($case));
                }
            )*
        }
    };
    (@run ($factory:ident, $case_name:ident) $($case:ident,)*) => {
        match $case_name {
            $(stringify!($case) => Box::pin($case($factory)).await,)*
            _ => panic!("the review suite has no case `{}`", $case_name),
        }
    };
}

/// Runs a case by its name, in a runtime of its own.
///
/// # Panics
/// Panics if the promise is broken, or if there is no such case.
#[doc(hidden)]
pub fn run_review_case<S: Store + ReviewStore>(factory: &impl StoreFactory<Store = S>, case: &str) {
    let runtime = Builder::new_multi_thread().worker_threads(4).enable_all().build();
    runtime.unwrap().block_on(async {
        crate::review_suite! { @cases (run (factory, case)) }
    });
}
