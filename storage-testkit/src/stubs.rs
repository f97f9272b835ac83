//! Stubs for the part of a store that is not written yet.

/// Implements store traits with methods that panic, for a store that is being written: what exists can be tested, area by area,
/// before the rest does. The panic names the method that is missing.
///
/// ```
/// use a11ycheck_core::store::{StoreClock, StoreError};
/// use a11ycheck_storage_testkit::store_stubs;
/// use async_trait::async_trait;
/// use chrono::{DateTime, Utc};
///
/// #[derive(Debug)]
/// struct OwnStore;
///
/// #[async_trait]
/// impl StoreClock for OwnStore {
///     async fn now(&self) -> Result<DateTime<Utc>, StoreError> {
///         Ok(Utc::now())
///     }
/// }
///
/// store_stubs!(OwnStore: [
///     TeamStore, RateLimitStore, SiteStore, ScanStore, QueueStore, EventLog, FileStore, WebhookStore, SealingStore,
///     HintStore, SettingsStore,
/// ]);
///
/// fn is_a_store(_: &impl a11ycheck_core::Store) {}
/// is_a_store(&OwnStore);
/// ```
///
/// Such a store is for [`store_suite!`](crate::store_suite) with `only:` and for nothing else; remove a name from the list when
/// you implement its trait.
#[macro_export]
macro_rules! store_stubs {
    ($store:ty: [$($trait:ident),+ $(,)?] $(,)?) => {
        $crate::store_methods! { store_stubs ($store) $($trait)+ }
    };
    (@methods $store:tt $($trait:ident $methods:tt)*) => {
        $($crate::store_stubs! { @implement $store $trait $methods })*
    };
    (@implement ($store:ty) $trait:ident {
        $(fn $method:ident($($argument:ident: $kind:ty),*) $(-> $result:ty)?;)*
    }) => {
        const _: () = {
            use $crate::types::*;

            #[allow(unused_variables, reason = "nothing is done with the arguments")]
            #[$crate::types::async_trait]
            impl $crate::types::$trait for $store {$(
                async fn $method(&self $(, $argument: $kind)*) $(-> $result)? {
                    panic!(
                        "`{}` of `{}` is not written yet: it is among the traits of `store_stubs!`",
                        concat!(stringify!($trait), "::", stringify!($method)),
                        stringify!($store),
                    )
                }
            )*}
        };
    };
}
