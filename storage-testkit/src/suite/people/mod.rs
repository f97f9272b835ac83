//! The suite for stores that keep people.

pub(super) mod audit;
pub(super) mod invitations;
pub(super) mod members;
pub(super) mod persons;
pub(super) mod second_factors;
pub(super) mod sessions;
pub(super) mod steps;

use a11ycheck_core::{Store, store::PeopleStore};
use tokio::runtime::Builder;

use self::{audit::*, invitations::*, members::*, persons::*, second_factors::*, sessions::*};
use crate::StoreFactory;

/// Makes one `#[test]` of every case of the suite for a [`PeopleStore`], for the stores of this
/// [`StoreFactory`](crate::StoreFactory): an expression that is evaluated for each case.
///
/// It is apart from [`store_suite!`](crate::store_suite): a host that has people of its own needs none of it.
#[macro_export]
macro_rules! people_suite {
    ($factory:expr $(,)?) => {
        $crate::people_suite! { @cases (tests ($factory)) }
    };
    // The only list, as in `store_cases!`.
    (@cases ($made:ident $arguments:tt)) => {
        $crate::people_suite! {
            @$made $arguments
            a_new_store_has_nobody,
            the_first_link_makes_one_person_and_nobody_after_that,
            a_first_link_is_valid_for_its_term_until_it_is_replaced,
            of_many_who_use_the_first_link_at_once_one_is_created,
            no_first_link_is_stored_where_there_is_a_person,
            a_person_reads_as_created_and_no_other_has_the_address,
            persons_are_listed_by_creation_page_by_page,
            another_password_ends_all_sessions_but_the_one_that_set_it,
            a_session_is_found_by_its_hash_until_it_is_over,
            a_session_that_is_used_stays_and_ends_after_90_days_all_the_same,
            a_session_that_takes_the_place_of_another_ends_it,
            a_person_has_a_bounded_number_of_sessions,
            ended_sessions_let_nobody_in_and_others_stay,
            a_session_leads_into_the_teams_of_its_person_and_no_other,
            who_was_taken_out_of_a_team_is_out_with_the_next_request,
            a_second_factor_reads_as_switched_on_and_ends_other_sessions,
            of_many_who_take_a_code_at_once_one_does,
            no_code_is_taken_twice_nor_one_of_before,
            new_recovery_codes_take_the_place_of_all_former_ones,
            nothing_of_a_second_factor_that_was_switched_off_stays,
            secrets_of_second_factors_are_sealed_with_another_key,
            a_team_demands_a_second_factor_of_members_that_its_owner_has,
            members_use_seats_and_give_them_back,
            of_20_invitations_at_once_into_one_free_seat_one_makes_a_member,
            the_last_owner_can_neither_leave_nor_be_lowered,
            of_two_owners_who_leave_at_once_one_stays,
            a_person_is_listed_in_each_team_with_its_role,
            an_invitation_is_for_one_address_once_and_for_seven_days,
            an_invitation_makes_a_person_where_there_is_none,
            an_invitation_used_by_many_at_once_makes_one_member,
            an_invitation_takes_the_place_of_an_earlier_one_and_can_be_withdrawn,
            a_team_has_a_bounded_number_of_invitations,
            what_was_done_is_in_the_log_once_and_what_was_refused_is_not,
            the_log_of_a_team_is_its_own_and_the_newest_come_first,
            what_is_over_is_purged_and_nothing_else,
            a_deleted_team_leaves_its_people_and_nothing_of_its_own,
        }
    };
    (@tests ($factory:expr) $($case:ident,)*) => {
        mod people {
            #[allow(unused_imports, reason = "the factory may need nothing of its surroundings")]
            use super::*;

            $(
                #[test]
                fn $case() {
                    $crate::run_people_case(&$factory, stringify!($case));
                }
            )*
        }
    };
    (@run ($factory:ident, $case_name:ident) $($case:ident,)*) => {
        match $case_name {
            $(stringify!($case) => Box::pin($case($factory)).await,)*
            _ => panic!("the people suite has no case `{}`", $case_name),
        }
    };
}

/// Runs a case by its name, in a runtime of its own.
///
/// # Panics
/// Panics if the promise is broken, or if there is no such case.
#[doc(hidden)]
pub fn run_people_case<S: Store + PeopleStore>(factory: &impl StoreFactory<Store = S>, case: &str) {
    let runtime = Builder::new_multi_thread().worker_threads(4).enable_all().build();
    runtime.unwrap().block_on(async {
        crate::people_suite! { @cases (run (factory, case)) }
    });
}
