//! Shared settings beside those of another release.

use a11ycheck_core::{domain::SharedSetting, store::SettingsStore as _};
use a11ycheck_storage_postgres::PostgresStore;
use sqlx::{AssertSqlSafe, Executor as _};

use crate::support;

#[tokio::test]
async fn a_setting_of_a_later_release_is_kept_and_ignored() {
    let (config, schema) = support::config_at(&support::url()).await;
    let store = PostgresStore::connect(config).await.unwrap();
    let mut db = support::connect().await;
    // The support module made the name: nothing in it needs quoting. Likewise below.
    db.execute(AssertSqlSafe(format!("INSERT INTO {schema}.settings VALUES ('colour', 'blue')"))).await.unwrap();
    assert_eq!(store.settings().await.unwrap(), [].into());
    store.settle_setting(SharedSetting::BaseUrl, "https://a11y.example.com/v1").await.unwrap();
    store.remove_setting(SharedSetting::BaseUrl).await.unwrap();
    let rows: Vec<(String, String)> =
        sqlx::query_as(AssertSqlSafe(format!("SELECT name, value FROM {schema}.settings")))
            .fetch_all(&mut db)
            .await
            .unwrap();
    assert_eq!(rows, [("colour".to_owned(), "blue".to_owned())]);
}
