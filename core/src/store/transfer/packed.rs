//! Findings as stores keep them.

use std::{
    borrow::Borrow,
    error::Error as StdError,
    fmt,
    io::{self, Read as _, Write as _},
};

use flate2::{Compression, read::GzDecoder, write::GzEncoder};

use crate::{domain::Findings, store::StoreError};

/// The findings of a check as one document: JSON, gzip-compressed. A tenth of their size, they are stored and moved
/// without being unpacked.
#[derive(Clone, PartialEq, Eq)]
pub struct PackedFindings(Vec<u8>);

impl PackedFindings {
    /// Packs findings. Long ones take a tenth of a second, so this runs on a blocking thread.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] if the process has no thread left for it.
    pub async fn pack(findings: impl Borrow<Findings> + Send + 'static) -> Result<Self, StoreError> {
        let write = move || -> io::Result<Vec<u8>> {
            let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
            gzip.write_all(&serde_json::to_vec(findings.borrow())?)?;
            gzip.finish()
        };
        let packed = tokio::task::spawn_blocking(write).await.unwrap_or_else(|error| Err(error.into()));
        packed.map(Self).map_err(|error| StoreError::Unavailable(error.into()))
    }

    /// Unpacks them, likewise.
    ///
    /// # Errors
    /// The fault of bytes that are no packed findings.
    pub async fn unpack(self) -> Result<Findings, Box<dyn StdError + Send + Sync>> {
        let read = move || -> Result<Findings, Box<dyn StdError + Send + Sync>> {
            let mut json = Vec::new();
            GzDecoder::new(self.0.as_slice()).read_to_end(&mut json)?;
            Ok(serde_json::from_slice(&json)?)
        };
        tokio::task::spawn_blocking(read).await.unwrap_or_else(|error| Err(error.into()))
    }

    /// Takes the bytes as they are stored, whatever they are.
    pub const fn from_stored(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// Returns the bytes that are stored.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for PackedFindings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PackedFindings").field(&self.0.len()).finish()
    }
}
