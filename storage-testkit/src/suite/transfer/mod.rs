//! The suite for stores whose content can be moved.

mod cases;
mod filled;

use a11ycheck_core::{
    Store,
    store::{ReviewStore, SiteFieldStore, transfer::TransferStore},
};
use tokio::runtime::Builder;

pub use self::filled::FilledStore;
use crate::StoreFactory;

/// Makes one `#[test]` of every case of the suite for a [`TransferStore`], for the stores of this
/// [`StoreFactory`](crate::StoreFactory): an expression that is evaluated for each case.
///
/// It is apart from [`store_suite!`](crate::store_suite): a store need not be movable.
#[macro_export]
macro_rules! transfer_suite {
    ($factory:expr $(,)?) => {
        $crate::transfer_suite! { @cases (tests ($factory)) }
    };
    // The only list, as in `store_cases!`.
    (@cases ($made:ident $arguments:tt)) => {
        $crate::transfer_suite! {
            @$made $arguments
            everything_reads_the_same_in_the_store_that_takes_it,
            a_store_that_took_an_export_gives_the_same_bytes,
            an_empty_store_moves_as_such,
            a_token_is_admitted_after_the_move,
            workers_go_on_after_the_move_where_they_were,
            the_queue_and_the_outbox_keep_their_order,
            readers_of_the_log_go_on_after_the_move,
            the_purge_removes_what_it_would_have_removed,
            a_store_with_content_takes_nothing_and_keeps_what_it_has,
            a_file_that_ends_early_leaves_the_store_empty,
            a_file_that_was_changed_leaves_the_store_empty,
            what_happens_during_an_export_is_not_in_it,
        }
    };
    (@tests ($factory:expr) $($case:ident,)*) => {
        mod transfer {
            #[allow(unused_imports, reason = "the factory may need nothing of its surroundings")]
            use super::*;

            $(
                #[test]
                fn $case() {
                    $crate::run_transfer_case(&$factory, stringify!($case));
                }
            )*
        }
    };
    (@run ($factory:ident, $case_name:ident) $($case:ident,)*) => {
        match $case_name {
            $(stringify!($case) => Box::pin(cases::$case($factory)).await,)*
            _ => panic!("the transfer suite has no case `{}`", $case_name),
        }
    };
}

/// Runs a case by its name, in a runtime of its own.
///
/// # Panics
/// Panics if the promise is broken, or if there is no such case.
#[doc(hidden)]
pub fn run_transfer_case<S: Store + ReviewStore + SiteFieldStore + TransferStore>(
    factory: &impl StoreFactory<Store = S>,
    case: &str,
) {
    let runtime = Builder::new_multi_thread().worker_threads(4).enable_all().build();
    runtime.unwrap().block_on(async {
        crate::transfer_suite! { @cases (run (factory, case)) }
    });
}
