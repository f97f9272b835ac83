//! The suite for stores that keep fields that teams add to their sites.

pub(super) mod fields;

use a11ycheck_core::{Store, store::SiteFieldStore};
use tokio::runtime::Builder;

use self::fields::*;
use crate::StoreFactory;

/// Makes one `#[test]` of every case of the suite for a [`SiteFieldStore`], for the stores of this
/// [`StoreFactory`](crate::StoreFactory): an expression that is evaluated for each case.
///
/// It is apart from [`people_suite!`](crate::people_suite), which such a store passes as well.
#[macro_export]
macro_rules! site_field_suite {
    ($factory:expr $(,)?) => {
        $crate::site_field_suite! { @cases (tests ($factory)) }
    };
    // The only list, as in `store_cases!`.
    (@cases ($made:ident $arguments:tt)) => {
        $crate::site_field_suite! {
            @$made $arguments
            a_team_has_the_fields_that_were_added_in_their_order,
            a_team_has_ten_fields_with_different_names_also_when_many_are_added_at_once,
            a_change_of_a_field_leaves_no_value_that_it_does_not_take,
            values_of_a_site_are_changed_at_once_and_others_stay,
            a_deleted_field_takes_its_values_along_and_says_how_many_sites_lose_one,
            fields_and_values_belong_to_their_team,
            what_was_done_to_fields_is_in_the_log_once_and_what_was_refused_is_not,
            a_deleted_site_and_a_deleted_team_leave_no_values,
            a_site_that_gets_a_value_while_its_choice_goes_has_one_that_the_field_takes,
        }
    };
    (@tests ($factory:expr) $($case:ident,)*) => {
        mod site_fields {
            #[allow(unused_imports, reason = "the factory may need nothing of its surroundings")]
            use super::*;

            $(
                #[test]
                fn $case() {
                    $crate::run_site_field_case(&$factory, stringify!($case));
                }
            )*
        }
    };
    (@run ($factory:ident, $case_name:ident) $($case:ident,)*) => {
        match $case_name {
            $(stringify!($case) => Box::pin($case($factory)).await,)*
            _ => panic!("the suite of fields has no case `{}`", $case_name),
        }
    };
}

/// Runs a case by its name, in a runtime of its own.
///
/// # Panics
/// Panics if the promise is broken, or if there is no such case.
#[doc(hidden)]
pub fn run_site_field_case<S: Store + SiteFieldStore>(factory: &impl StoreFactory<Store = S>, case: &str) {
    let runtime = Builder::new_multi_thread().worker_threads(4).enable_all().build();
    runtime.unwrap().block_on(async {
        crate::site_field_suite! { @cases (run (factory, case)) }
    });
}
