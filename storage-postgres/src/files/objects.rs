//! An object store: S3 and the like, or a folder.

mod connector;
mod health;
mod open;

use std::{error::Error as StdError, sync::Arc, time::Duration};

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use object_store::{ObjectStore, ObjectStoreExt as _, path::Path};
use ulid::Ulid;

use self::health::Health;

/// The cause why an object store can't be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FilesError {
    /// The address is not a URL at all.
    #[error("the address of the files can't be read; it should look like s3://bucket/folder or file:///folder")]
    Address(#[source] url::ParseError),
    /// The address is a URL, but not that of a known object store or of an existing folder, or its settings are wrong.
    #[error("the address of the files, or one of its settings, is of no object store")]
    Store(#[source] object_store::Error),
    /// Bytes and signatures would go over the network in the clear.
    #[error(
        "the object store's address is {0}, without TLS: set AWS_ALLOW_HTTP=true if nobody can read along on the way there, or \
         give AWS_ENDPOINT an https:// address"
    )]
    PlainHttp(String),
    /// No credentials are among the settings, and none are fetched from the machine unless the settings ask for that.
    #[error(
        "there are no credentials for the object store: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; to have those of the \
         role of a machine at Amazon, set AWS_METADATA_ENDPOINT=http://169.254.169.254; for a store that asks for none, \
         AWS_SKIP_SIGNATURE=true"
    )]
    NoCredentials,
    /// The test at the start failed, which writes, reads and deletes an object.
    #[error("the object store is of no use, since a test object could not be {step}: {advice}")]
    Test {
        /// The step that failed.
        step: &'static str,
        /// Advice on what to examine.
        advice: &'static str,
        /// The error of the step.
        source: Box<dyn StdError + Send + Sync>,
    },
}

/// An object store with the folder in it. Clones share what is known about its health.
#[derive(Debug, Clone)]
pub(crate) struct Objects {
    store: Arc<dyn ObjectStore>,
    folder: Path,
    timeout: Duration,
    health: Arc<Health>,
}

/// The cause why objects were not written, read or deleted.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ObjectError {
    #[error("the object store failed")]
    Store(#[from] object_store::Error),
    #[error("the object store did not answer within {0:?}")]
    TooSlow(Duration),
    #[error("there are {found} bytes, and should be {expected}")]
    Size { found: u64, expected: u64 },
}

impl ObjectError {
    /// Returns whether the store responded, and it is the object that is wrong.
    pub(crate) const fn is_about_content(&self) -> bool {
        matches!(self, Self::Size { .. })
    }
}

impl Objects {
    /// The greatest number of requests in progress at once for one caller.
    const AT_ONCE: usize = 8;
    /// The factor by which writing all objects of a check may take longer than writing one.
    const ALL_OBJECTS: u32 = 3;

    /// Writes objects, by their names. Each may take as long as a step, and all together three times as long.
    pub(crate) async fn put(&self, objects: Vec<(String, Vec<u8>)>) -> Result<(), ObjectError> {
        let puts = stream::iter(objects).map(|(name, bytes)| async move {
            let path = self.path(&name);
            within(self.timeout, async { Ok(self.store.put(&path, bytes.into()).await.map(drop)?) }).await
        });
        let all = puts.buffer_unordered(Self::AT_ONCE).try_collect::<()>();
        self.noted(within(self.timeout * Self::ALL_OBJECTS, all).await)
    }

    /// Reads an object of a known size; `None` if there is none.
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
        self.noted(within(self.timeout, read).await)
    }

    /// Deletes objects; those that do not exist count as deleted.
    pub(crate) async fn delete(&self, names: Vec<String>) -> Result<(), ObjectError> {
        let paths: Vec<_> = names.iter().map(|name| Ok(self.path(name))).collect();
        let mut deletions = self.store.delete_stream(stream::iter(paths).boxed());
        let deleted = within(self.timeout, async {
            while let Some(deleted) = deletions.next().await {
                match deleted {
                    Ok(_) | Err(object_store::Error::NotFound { .. }) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            Ok(())
        });
        self.noted(deleted.await)
    }

    /// Writes an object, reads it and deletes it.
    ///
    /// # Errors
    /// [`FilesError::Test`].
    pub(crate) async fn test(&self) -> Result<(), FilesError> {
        const BYTES: &[u8] = b"a11ycheck was here, and should have deleted this";
        let name = format!("test/{}", Ulid::generate());
        let failed =
            |step| move |error: ObjectError| FilesError::Test { step, advice: advice(&error), source: Box::new(error) };
        self.put(vec![(name.clone(), BYTES.to_vec())]).await.map_err(failed("written"))?;
        let read = self.get(&name, BYTES.len() as u64).await.map_err(failed("read"))?;
        if read.as_deref() != Some(BYTES) {
            let expected = BYTES.len() as u64;
            let found = read.map_or(0, |bytes| bytes.len() as u64);
            return Err(failed("read back")(ObjectError::Size { found, expected }));
        }
        self.delete(vec![name]).await.map_err(failed("deleted"))
    }

    /// Returns whether the store is of use, as far as is known: from the latest test. If that was a while ago, or a
    /// request has failed since, a test is begun now, for the next caller. Waits for nothing.
    pub(crate) fn health(&self) -> Result<(), Arc<FilesError>> {
        if let Some(test) = self.health.begin_test() {
            let objects = self.clone();
            tokio::spawn(async move {
                let tested = within(Health::TEST_LIMIT, async { Ok(objects.test().await) }).await;
                let tested = tested.unwrap_or_else(|error| {
                    Err(FilesError::Test {
                        step: "written, read and deleted",
                        advice: advice(&error),
                        source: Box::new(error),
                    })
                });
                test.ended(tested);
            });
        }
        self.health.known()
    }

    /// Takes a failed request as a sign that the store may not work.
    fn noted<T>(&self, outcome: Result<T, ObjectError>) -> Result<T, ObjectError> {
        match &outcome {
            Err(error) if !error.is_about_content() => self.health.suspect(),
            Ok(_) | Err(_) => {}
        }
        outcome
    }

    fn path(&self, name: &str) -> Path {
        self.folder.clone().parts().chain(Path::from(name).parts()).collect()
    }
}

async fn within<T>(limit: Duration, work: impl Future<Output = Result<T, ObjectError>>) -> Result<T, ObjectError> {
    tokio::time::timeout(limit, work).await.unwrap_or(Err(ObjectError::TooSlow(limit)))
}

/// Returns advice on what to examine after a request failed.
const fn advice(error: &ObjectError) -> &'static str {
    use object_store::Error as Store;
    match error {
        ObjectError::Store(Store::NotFound { .. }) => {
            "see that the bucket is there, and that the address names it rightly"
        }
        ObjectError::Store(Store::PermissionDenied { .. } | Store::Unauthenticated { .. }) => {
            "see that AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are right, and may put, get and delete objects there"
        }
        ObjectError::Store(_) => {
            "see that AWS_ENDPOINT is right and answers, or that the folder may be written to, and that the credentials may put, \
             get and delete objects"
        }
        ObjectError::TooSlow(_) => "see that AWS_ENDPOINT is right and answers",
        ObjectError::Size { .. } => "see that it is an object store, and that nothing else writes there",
    }
}
