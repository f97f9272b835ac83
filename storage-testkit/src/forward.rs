//! Stores that forward their calls to another.

use std::fmt::Debug;

use a11ycheck_core::Store;
use async_trait::async_trait;

use crate::types::*;

/// Implements all store traits for a type that implements [`ForwardStore`], so that it is a [`Store`].
///
/// The argument is the type, with `impl<…>` before it if it is generic; a parameter has one bound at most.
///
/// ```
/// use std::sync::atomic::{AtomicU32, Ordering};
///
/// use a11ycheck_core::{
///     Store,
///     id::{SiteId, TeamId},
///     store::StoreError,
/// };
/// use a11ycheck_storage_memory::MemoryStore;
/// use a11ycheck_storage_testkit::{ForwardStore, forward_store};
/// use async_trait::async_trait;
///
/// /// Counts the sites that were deleted.
/// #[derive(Debug)]
/// struct Counting<S> {
///     inner: S,
///     deleted: AtomicU32,
/// }
///
/// #[async_trait]
/// impl<S: Store> ForwardStore for Counting<S> {
///     fn inner(&self) -> &dyn Store {
///         &self.inner
///     }
///
///     async fn delete_site(&self, team: TeamId, id: SiteId) -> Result<bool, StoreError> {
///         let is_deleted = self.inner.delete_site(team, id).await?;
///         self.deleted.fetch_add(u32::from(is_deleted), Ordering::Relaxed);
///         Ok(is_deleted)
///     }
/// }
///
/// forward_store!(impl<S: Store> Counting<S>);
///
/// fn is_a_store(_: &impl Store) {}
/// is_a_store(&Counting { inner: MemoryStore::new(), deleted: AtomicU32::new(0) });
/// ```
#[macro_export]
macro_rules! forward_store {
    (impl<$($parameter:ident $(: $bound:path)?),+ $(,)?> $store:ty) => {
        $crate::store_methods! { forward_store ([<$($parameter $(: $bound)?),+>] $store) }
    };
    (@methods $header:tt $($trait:ident $methods:tt)*) => {
        $($crate::forward_store! { @implement $header $trait $methods })*
    };
    (@implement ([$($generics:tt)*] $store:ty) $trait:ident {
        $(fn $method:ident($($argument:ident: $kind:ty),*) $(-> $result:ty)?;)*
    }) => {
        const _: () = {
            use $crate::types::*;

            #[$crate::types::async_trait]
            impl $($generics)* $crate::types::$trait for $store {$(
                async fn $method(&self $(, $argument: $kind)*) $(-> $result)? {
                    $crate::ForwardStore::$method(self $(, $argument)*).await
                }
            )*}
        };
    };
    ($store:ty) => {
        $crate::store_methods! { forward_store ([] $store) }
    };
}

macro_rules! forwarding_trait {
    (@methods () $($trait:ident {
        $(fn $method:ident($($argument:ident: $kind:ty),*) $(-> $result:ty)?;)*
    })*) => {
        /// A store that forwards its calls to another, except for those that it changes.
        ///
        /// Each method of each [store trait](a11ycheck_core::store) exists here under its own name, and by default
        /// calls the same one of [`inner`](Self::inner). A decorator implements the methods that it changes, and
        /// [`forward_store!`](crate::forward_store) makes a store of it. The promises of the store's traits remain: a
        /// changed method must still keep them, which [`store_suite!`](crate::store_suite) tests.
        #[async_trait]
        pub trait ForwardStore: Send + Sync + Debug + 'static {
            /// Returns the store to which calls are forwarded.
            fn inner(&self) -> &dyn Store;

            $($(
                #[doc = concat!(
                    "Passes the call on to [`", stringify!($method), "`](a11ycheck_core::store::", stringify!($trait), "::",
                    stringify!($method), ")."
                )]
                async fn $method(&self $(, $argument: $kind)*) $(-> $result)? {
                    self.inner().$method($($argument),*).await
                }
            )*)*
        }
    };
}
pub(crate) use forwarding_trait;

crate::store_methods! { forwarding_trait () }
