//! The SQLite file that stands beside PostgreSQL, with the same data.

use std::path::Path;

use a11ycheck_core::{domain::PlanCatalog, store::TeamStore as _};
use a11ycheck_storage_sqlite::{SqliteConfig, SqliteStore};
use chrono::Utc;
use sha2::{Digest as _, Sha256};
use sqlx::{
    AssertSqlSafe, Connection as _, Executor as _, SqliteConnection,
    sqlite::{SqliteConnectOptions, SqliteSynchronous},
};

use crate::seed::{Scale, statements};

/// Fills a file that does not exist yet, and returns its length.
pub(crate) async fn seed(path: &Path, scale: Scale) -> u64 {
    let store = SqliteStore::open(SqliteConfig::new(path)).await.unwrap();
    store.put_plans(PlanCatalog::shipped().plans()).await.unwrap();
    store.close().await;
    // The references are correct by construction, and a file that is not whole is made again.
    let options = connect_options(path).foreign_keys(false).synchronous(SqliteSynchronous::Off);
    let mut db = SqliteConnection::connect_with(&options).await.unwrap();
    let now = Utc::now().timestamp_micros();
    for statement in statements(include_str!("seed-sqlite.sql"), scale) {
        let statement = statement.replace("{now}", &now.to_string());
        // The statements are ours, and so are the values in them.
        db.execute(AssertSqlSafe(statement)).await.unwrap();
    }
    let mut transaction = db.begin().await.unwrap();
    for token in 0..scale.teams * 2 {
        sqlx::query(
            "INSERT INTO tokens (id, team_id, name, abilities, hash, created_at)
             VALUES (?1, ?2, 'CI', '[\"read\",\"write\"]', ?3, ?4)",
        )
        .bind(format!("tok_01J0000000{token:016}"))
        .bind(format!("team_01J0000000{:016}", token / 2))
        .bind(Sha256::digest(format!("token {token}")).to_vec())
        .bind(now)
        .execute(&mut *transaction)
        .await
        .unwrap();
    }
    transaction.commit().await.unwrap();
    // The log goes into the file.
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)").await.unwrap();
    db.close().await.unwrap();
    std::fs::metadata(path).unwrap().len()
}

/// Returns how to reach the file beside the store.
pub(crate) fn connect_options(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new().filename(path).busy_timeout(std::time::Duration::from_secs(5))
}
