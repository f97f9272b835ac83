//! The macros that make tests of the list of all cases.

use a11ycheck_core::{clock::ManualClock, store::Store};
use async_trait::async_trait;
use tokio::runtime::Builder;

use super::{accounts::*, outbox::*, results::*, walks::*, work::*};
use crate::{ForwardStore, StoreFactory, forward_store};

/// Makes one `#[test]` of every case of the [suite](crate), in a module per area, for the stores of this
/// [`StoreFactory`](crate::StoreFactory): an expression that is evaluated for each case.
///
/// `only:` runs some areas, or some cases of an area, for a store that is not finished or that differs in a few respects:
///
/// ```
/// # struct Stores;
/// # #[async_trait::async_trait]
/// # impl a11ycheck_storage_testkit::StoreFactory for Stores {
/// #     type Store = a11ycheck_storage_memory::MemoryStore;
/// #     async fn empty(&self, clock: a11ycheck_core::clock::ManualClock) -> Self::Store {
/// #         Self::Store::with_clock(clock)
/// #     }
/// # }
/// a11ycheck_storage_testkit::store_suite!(Stores, only: [
///     teams,
///     rate_limits,
///     files { pictures_come_back_byte_for_byte, documents_go_with_their_check },
/// ]);
/// ```
///
/// An area that does not exist does not compile; a case that does not exist fails.
#[macro_export]
macro_rules! store_suite {
    ($factory:expr $(,)?) => {
        $crate::store_cases! { every_test ($factory) }
    };
    ($factory:expr, only: [$($chosen:tt)*] $(,)?) => {
        $crate::store_suite! { @chosen ($factory) $($chosen)* }
    };
    (@chosen ($factory:expr)) => {};
    (@chosen ($factory:expr) $area:ident { $($case:ident),+ $(,)? } $(, $($rest:tt)*)?) => {
        $crate::store_suite! { @tests ($factory) $area { $($case,)+ } }
        $crate::store_suite! { @chosen ($factory) $($($rest)*)? }
    };
    (@chosen ($factory:expr) $area:ident $(, $($rest:tt)*)?) => {
        $crate::store_cases! { $area tests ($factory) }
        $crate::store_suite! { @chosen ($factory) $($($rest)*)? }
    };
    (@every_test ($factory:expr) $($area:ident)*) => {
        $($crate::store_cases! { $area tests ($factory) })*
    };
    (@tests ($factory:expr) $area:ident { $($case:ident,)* }) => {
        mod $area {
            #[allow(unused_imports, reason = "the factory may need nothing of its surroundings")]
            use super::*;

            $(
                #[test]
                fn $case() {
                    $crate::run_store_case(&$factory, stringify!($area), stringify!($case));
                }
            )*
        }
    };
    (@run ($factory:ident, $area_name:ident, $case_name:ident) $($area:ident)*) => {
        match $area_name {
            $(stringify!($area) => { $crate::store_cases! { $area run_in ($factory, $case_name) } })*
            _ => panic!("the store suite has no area `{}`", $area_name),
        }
    };
    (@run_in ($factory:ident, $case_name:ident) $area:ident { $($case:ident,)* }) => {
        match $case_name {
            $(stringify!($case) => Box::pin($area::$case($factory)).await,)*
            _ => panic!("the area `{}` of the store suite has no case `{}`", stringify!($area), $case_name),
        }
    };
}

/// Runs a case by its area and name, in a runtime of its own.
///
/// # Panics
/// Panics if the promise is broken, or if there is no such case.
#[doc(hidden)]
pub fn run_store_case(factory: &impl StoreFactory, area: &str, case: &str) {
    run(&AnyStores(factory), area, case);
}

/// Not generic, so that the cases are compiled once, here, and not again with each store.
fn run(factory: &AnyStores<'_>, area: &str, case: &str) {
    let runtime = Builder::new_multi_thread().worker_threads(4).enable_all().build();
    runtime.unwrap().block_on(async {
        crate::store_cases! { run (factory, area, case) }
    });
}

/// A factory without the type of its stores.
#[async_trait]
trait Factory: Send + Sync {
    async fn any(&self, clock: ManualClock) -> AnyStore;
}

#[async_trait]
impl<F: StoreFactory> Factory for F {
    async fn any(&self, clock: ManualClock) -> AnyStore {
        AnyStore(Box::new(self.empty(clock).await))
    }
}

struct AnyStores<'f>(&'f dyn Factory);

#[async_trait]
impl StoreFactory for AnyStores<'_> {
    type Store = AnyStore;

    async fn empty(&self, clock: ManualClock) -> AnyStore {
        self.0.any(clock).await
    }
}

#[derive(Debug)]
struct AnyStore(Box<dyn Store>);

impl ForwardStore for AnyStore {
    fn inner(&self) -> &dyn Store {
        &*self.0
    }
}

forward_store!(AnyStore);
