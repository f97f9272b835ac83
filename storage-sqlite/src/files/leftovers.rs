//! What is left of deleted checks: findings, pictures and documents. They are deleted a few checks at a time, so that no
//! other step waits long, and the room that they took is given back to the disk.

use a11ycheck_core::store::StoreError;

use crate::{
    SqliteStore,
    db::{columns::json, error::Failure},
};

/// The checks that one transaction deletes the bytes of: some 500 kB each.
const AT_ONCE: i64 = 8;

impl SqliteStore {
    /// Deletes all that is left of deleted checks.
    pub(crate) async fn sweep(&self) -> Result<(), StoreError> {
        while self.sweep_some().await? == AT_ONCE.unsigned_abs() {}
        self.give_space_back().await
    }

    /// Does so soon, while others go on. What is not deleted because the process ends, or the disk is in trouble, is with the
    /// next purge.
    pub(crate) fn sweep_soon(&self) {
        let store = self.clone();
        tokio::spawn(async move {
            if let Err(error) = store.sweep().await {
                let error: &dyn std::error::Error = &error;
                tracing::warn!(error, "What is left of deleted checks could not be deleted yet");
            }
        });
    }

    async fn sweep_some(&self) -> Result<u64, StoreError> {
        self.write(async |mut tx| {
            let scans: Vec<String> = sqlx::query_scalar("SELECT scan_id FROM deleted_scans LIMIT ?1")
                .bind(AT_ONCE)
                .fetch_all(tx.db())
                .await?;
            if scans.is_empty() {
                return Ok::<_, Failure<StoreError>>(0);
            }
            let ids = json(&scans)?;
            for statement in [
                "DELETE FROM screenshots WHERE scan_id IN (SELECT value FROM json_each(?1))",
                "DELETE FROM documents WHERE scan_id IN (SELECT value FROM json_each(?1))",
                "DELETE FROM findings WHERE scan_id IN (SELECT value FROM json_each(?1))",
                "DELETE FROM deleted_scans WHERE scan_id IN (SELECT value FROM json_each(?1))",
            ] {
                sqlx::query(statement).bind(&ids).execute(tx.db()).await?;
            }
            Ok(scans.len() as u64)
        })
        .await
    }
}
