//! An object store: S3 and its kin, or a folder.

use std::{sync::Arc, time::Duration};

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use object_store::{ObjectStore, ObjectStoreExt as _, local::LocalFileSystem, path::Path};
use url::Url;

/// Why there is no object store.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FilesError {
    /// Not a URL at all.
    #[error("the address of the files can't be read; it should look like s3://bucket/folder or file:///folder")]
    Address(#[source] url::ParseError),
    /// A URL, and not that of an object store that is known here, or of a folder that is there, or its settings are wrong.
    #[error("the address of the files, or one of its settings, is of no object store")]
    Store(#[source] object_store::Error),
}

/// Where files are.
#[derive(Debug, Clone)]
pub(crate) struct Objects {
    store: Arc<dyn ObjectStore>,
    folder: Path,
    timeout: Duration,
}

/// Why objects were not written, read or deleted.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ObjectError {
    #[error("the object store failed")]
    Store(#[from] object_store::Error),
    #[error("the object store did not answer within {0:?}")]
    TooSlow(Duration),
    #[error("there are {found} bytes, and should be {expected}")]
    Size { found: u64, expected: u64 },
}

impl Objects {
    /// Requests that are under way at once for one caller.
    const AT_ONCE: usize = 8;

    /// The object store of an address; nothing is asked of it.
    pub(crate) fn open(
        address: &str,
        settings: impl IntoIterator<Item = (String, String)>,
        timeout: Duration,
    ) -> Result<Self, FilesError> {
        let url = Url::parse(address).map_err(FilesError::Address)?;
        // The client takes the process's provider. One that is there already is as good.
        drop(rustls::crypto::ring::default_provider().install_default());
        if let ("file", Ok(folder)) = (url.scheme(), url.to_file_path()) {
            let store = LocalFileSystem::new_with_prefix(folder).map_err(FilesError::Store)?;
            // As durable as the rows that refer to it; and a folder below that was emptied goes, too.
            let store = store.with_fsync(true).with_automatic_cleanup(true);
            return Ok(Self { store: Arc::new(store), folder: Path::ROOT, timeout });
        }
        let (store, folder) = object_store::parse_url_opts(&url, settings).map_err(FilesError::Store)?;
        Ok(Self { store: store.into(), folder, timeout })
    }

    /// Writes objects, by their names.
    pub(crate) async fn put(&self, objects: Vec<(String, Vec<u8>)>) -> Result<(), ObjectError> {
        let puts = stream::iter(objects).map(|(name, bytes)| async move {
            let path = self.path(&name);
            self.store.put(&path, bytes.into()).await.map(drop)
        });
        self.in_time(puts.buffer_unordered(Self::AT_ONCE).try_collect::<()>()).await
    }

    /// Reads an object of a known size; `None` where there is none.
    pub(crate) async fn get(&self, name: &str, size: u64) -> Result<Option<Vec<u8>>, ObjectError> {
        let path = self.path(name);
        let read = async {
            let found = match self.store.get(&path).await {
                Ok(found) => found,
                Err(object_store::Error::NotFound { .. }) => return Ok(None),
                Err(error) => return Err(error.into()),
            };
            if found.meta.size != size {
                return Err(ObjectError::Size { found: found.meta.size, expected: size });
            }
            Ok(Some(found.bytes().await?.into()))
        };
        tokio::time::timeout(self.timeout, read).await.unwrap_or(Err(ObjectError::TooSlow(self.timeout)))
    }

    /// Deletes objects, those that are not there as well.
    pub(crate) async fn delete(&self, names: Vec<String>) -> Result<(), ObjectError> {
        let paths: Vec<_> = names.iter().map(|name| Ok(self.path(name))).collect();
        let mut deletions = self.store.delete_stream(stream::iter(paths).boxed());
        self.in_time(async {
            while let Some(deleted) = deletions.next().await {
                match deleted {
                    Ok(_) | Err(object_store::Error::NotFound { .. }) => {}
                    Err(error) => return Err(error),
                }
            }
            Ok(())
        })
        .await
    }

    async fn in_time(&self, work: impl Future<Output = Result<(), object_store::Error>>) -> Result<(), ObjectError> {
        match tokio::time::timeout(self.timeout, work).await {
            Ok(done) => Ok(done?),
            Err(_) => Err(ObjectError::TooSlow(self.timeout)),
        }
    }

    fn path(&self, name: &str) -> Path {
        self.folder.clone().parts().chain(Path::from(name).parts()).collect()
    }
}
