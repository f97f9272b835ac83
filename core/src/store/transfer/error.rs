//! The reasons why content was not moved.

use std::{error::Error as StdError, io};

use super::Kind;
use crate::{id::EndpointId, store::StoreError};

/// The reason why the content of a store was not moved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TransferError {
    /// The store that is to take the content has some of its own.
    #[error("the store has content of its own ({}): import into a new one", .0.plural())]
    NotEmpty(Kind),
    /// A secret is not sealed yet.
    #[error(
        "the secret of endpoint {0} is not sealed yet: start a server of this release on the data once, which seals it"
    )]
    NotSealed(EndpointId),
    /// The records that were read back differ from those of the export.
    #[error("the {} that were read back differ from those of the export: nothing was imported", .0.plural())]
    Differs(Kind),
    /// The file can't be read.
    #[error("the export can't be read")]
    Read(#[source] io::Error),
    /// The file can't be written.
    #[error("the export can't be written")]
    Write(#[source] io::Error),
    /// The file is something else.
    #[error("this is no export: it does not begin as one")]
    NotAnExport,
    /// The file has a format that only a later release knows.
    #[error(
        "the export was made by release {made_by}, and has format {format}: import it with that release or a later one"
    )]
    LaterFormat {
        /// The number of the format.
        format: u32,
        /// The release that wrote the file.
        made_by: String,
    },
    /// The file ends before its last line.
    #[error("the export is not complete: copy it again, or repeat the export")]
    Truncated,
    /// A record is not as any release writes it.
    #[error("record {record} of the export can't be read: copy the file again, or repeat the export")]
    Malformed {
        /// The number of the record in the file, counted from 1.
        record: u64,
        /// The fault.
        source: Box<dyn StdError + Send + Sync>,
    },
    /// The file does not have the records that were written.
    #[error("the {} of the export were changed since it was written: copy the file again, or repeat the export", .0.plural())]
    Altered(Kind),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
