//! The errors of stores.

use std::error::Error as StdError;

/// The reason why a store could not do what it was asked to. Refusals that belong to the domain have their own types.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The store is not reachable, overloaded, or in trouble that may pass: nothing was changed, or it is not known whether it was.
    #[error("the store is not available")]
    Unavailable(#[source] Box<dyn StdError + Send + Sync>),
    /// An id, or the hash of a token, that must be new is taken. Nothing was changed, and trying the same again won't help.
    #[error("an id or a token's hash that must be new is taken")]
    Taken(#[source] Box<dyn StdError + Send + Sync>),
    /// Stored data can't be read back. Trying again won't help.
    #[error("stored {what} can't be read")]
    Corrupt {
        /// The place of the data: table and id, or the like.
        what: String,
        /// The fault of the data.
        source: Box<dyn StdError + Send + Sync>,
    },
}
