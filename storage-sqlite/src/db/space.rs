//! Giving the room of what was deleted back to the disk, while everything else goes on. SQLite keeps it for what comes next;
//! `VACUUM`, which writes the whole file again, would stop all writers for minutes.

use a11ycheck_core::store::StoreError;

use crate::{SqliteStore, db::error::Failure};

/// The pages, of 4 KiB, that one transaction moves at most.
const AT_ONCE: i64 = 1_000;
/// The transactions of one call: 64 MiB.
const MOST: u32 = 16;

impl SqliteStore {
    /// Gives room back, as long as more than a tenth of the file is free: what is checked tomorrow needs the rest.
    pub(crate) async fn give_space_back(&self) -> Result<(), StoreError> {
        for _ in 0..MOST {
            let has_more = self
                .write(async |mut tx| {
                    let (free, pages): (i64, i64) = sqlx::query_as(
                        "SELECT freelist_count, page_count FROM pragma_freelist_count, pragma_page_count",
                    )
                    .fetch_one(tx.db())
                    .await?;
                    if free < AT_ONCE || free < pages / 10 {
                        return Ok::<_, Failure<StoreError>>(false);
                    }
                    sqlx::query(GIVE_BACK).execute(tx.db()).await?;
                    Ok(true)
                })
                .await?;
            if !has_more {
                break;
            }
        }
        Ok(())
    }
}

/// A pragma takes no parameter; the number is [`AT_ONCE`].
const GIVE_BACK: &str = "PRAGMA incremental_vacuum(1000)";
