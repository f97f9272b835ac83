//! The suite for stores that keep links to reports.

pub(super) mod links;

use a11ycheck_core::{Store, store::ShareStore};
use tokio::runtime::Builder;

use self::links::*;
use crate::StoreFactory;

/// Makes one `#[test]` of every case of the suite for a [`ShareStore`], for the stores of this
/// [`StoreFactory`](crate::StoreFactory): an expression that is evaluated for each case.
///
/// It is apart from [`people_suite!`](crate::people_suite), which such a store passes as well.
#[macro_export]
macro_rules! share_suite {
    ($factory:expr $(,)?) => {
        $crate::share_suite! { @cases (tests ($factory)) }
    };
    // The only list, as in `store_cases!`.
    (@cases ($made:ident $arguments:tt)) => {
        $crate::share_suite! {
            @$made $arguments
            a_team_shares_nothing_until_it_says_so,
            a_link_leads_to_one_report_until_it_is_over,
            a_link_that_is_withdrawn_leads_nowhere_at_once,
            all_links_lead_nowhere_while_a_team_does_not_share,
            links_belong_to_their_team,
            a_team_has_a_bounded_number_of_links_also_when_many_are_made_at_once,
            what_was_shared_is_in_the_log_once_and_what_was_refused_is_not,
            links_that_are_over_are_purged_and_a_deleted_team_leaves_none,
        }
    };
    (@tests ($factory:expr) $($case:ident,)*) => {
        mod shares {
            #[allow(unused_imports, reason = "the factory may need nothing of its surroundings")]
            use super::*;

            $(
                #[test]
                fn $case() {
                    $crate::run_share_case(&$factory, stringify!($case));
                }
            )*
        }
    };
    (@run ($factory:ident, $case_name:ident) $($case:ident,)*) => {
        match $case_name {
            $(stringify!($case) => Box::pin($case($factory)).await,)*
            _ => panic!("the share suite has no case `{}`", $case_name),
        }
    };
}

/// Runs a case by its name, in a runtime of its own.
///
/// # Panics
/// Panics if the promise is broken, or if there is no such case.
#[doc(hidden)]
pub fn run_share_case<S: Store + ShareStore>(factory: &impl StoreFactory<Store = S>, case: &str) {
    let runtime = Builder::new_multi_thread().worker_threads(4).enable_all().build();
    runtime.unwrap().block_on(async {
        crate::share_suite! { @cases (run (factory, case)) }
    });
}
