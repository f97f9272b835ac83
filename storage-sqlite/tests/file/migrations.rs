//! Migrations bring the tables up to date, whoever opens the file first.

use a11ycheck_core::store::TeamStore as _;
use a11ycheck_storage_sqlite::{OpenError, SqliteStore};
use sqlx::{Connection as _, Executor as _};

use crate::support;

/// The record of each migration in every file: number, name and SHA-384. None of it may ever change, or no file could be
/// opened any longer.
const RECORD: [(i64, &str, &str); 20] = [
    (
        1,
        "plans and teams",
        "189cc9732fb8f2ae00f12be7bfd16ba40ec54c27f83ed3a784c081a30b67731d88babbdec02e715c705345b246b70a60",
    ),
    (2, "sites", "0f758299dcedd43304a11042d1afb2b3904f5b47eecc8e41d230e20bcb219c421a956a23d49db421e8aad5e30f280e8e"),
    (3, "scans", "375aa92ca7e7395ee20b75268b35f9f267939d79b0b4a530ee17bdf027d015b7076afe454d6c93233760fdf325a836db"),
    (4, "results", "7cf5b2730dd7c19dffe00734930bb31ceceda4144f6d2c4f1fb76fbea5f5514705976edcae5d977ef0956e24596c8cd4"),
    (5, "webhooks", "78b380cbddf5e42873f7674da27d8738312b345433361ea506db5f3e63bfc495a5a4fd532b3a063f02e8b65ec59e400b"),
    (
        6,
        "scan events",
        "c0faaa6573c361f136cbc8b91b7c9c82f170127eed79b58cea6211f1e9c8d49d3ac5b029dffbc2ed044a5690932973bd",
    ),
    (7, "settings", "6c3145dcbb6a2978e836f88b646e6c85a57cb83d1e99fc856915b2f3afa5397d9fe543adc14247331c179fe64c5e9f44"),
    (8, "people", "6c256d3c0179f664a5eb45d766cfa9dfcdf852f3f2daf18bc8d4d814fe75f98bbcd5fdd35a6edb4725fea48e5af9e543"),
    (
        9,
        "judgements",
        "7e154f62bbd141d8b7dc8c3d62b7fa19d2bd14acfbe2984979fee5003eee26070bc4daf58bda878294c4c47df3240403",
    ),
    (10, "mail", "b864109675ce880cd5ed9d343c9a1408d1f6c2f029c3a4b491eb351f830e2c38a72a09a9c456f7e38c91bf76c05f42fd"),
    (
        11,
        "token use",
        "81c3579941e354fd806ce9d9a367d37763b13aa70a78bea4eae7f7a16d3653e1bec41b5d648933f1a6e15846f876e7af",
    ),
    (
        12,
        "shared reports",
        "01eff629e1892c4df73b50d02abec34b1a8585d1baff7d1663afda324c11c4afefda819166695547d355f89d1eb6ba55",
    ),
    (
        13,
        "second factors",
        "e9b91f02d07d82f6f7d627f06356c6a3e061e66de245c8d8c9a2ab06a4090478ef4f82cdea513995c2d0f08fb6bc060c",
    ),
    (
        14,
        "assignments",
        "54e93267eee1dc5e87b2b904e0e44ce86bb1b9eefd90812c0d514a871e84c2c60c3e840dfc3f9bf48f442a6d9b9e8fdd",
    ),
    (15, "batches", "0361a9321f0f5c9f3d9f90a5eb88531076f40fa54ba966b637bc27ce02453b3cae4639a5469c76a47d48d2c67f623c30"),
    (
        16,
        "site fields",
        "a1e4994aed5f7368ca70a82e71246ad0635252a1b13e9c54efb2f70915b29c26abcc0247daf2710786a32b254b1e98db",
    ),
    (17, "memos", "cea0f72fc9f773402d2c6aa3d08455060c0c94a876d46d28162b2b633fe24d625cc23b8b33baeb30eac5f9a4794a6c29"),
    (
        18,
        "two steps",
        "173c25f2c3d5569dec2178196eeb73f93952b2c7e313db1625d1a014066f0c85efcd667acd3319111b2953c75bb0a118",
    ),
    (
        19,
        "assessments",
        "5ac8ee051a8648cfa3cd20a10e785a8040d06e73a99700fcb0f03fb7548592bd2ad9c62fe2c06e305f4d23b15e5c358c",
    ),
    (20, "depths", "4a878a99cb143a5c63100d1ae504aca80562c693af2dba31569f3475a3b276d15ca28eae70fc2d85851fa848bc54f9eb"),
];

const READ: &str = "SELECT version, description, lower(hex(checksum)) FROM migrations ORDER BY version";

#[tokio::test]
async fn a_file_of_an_earlier_start_is_opened_unchanged() {
    let config = support::config();
    SqliteStore::open(config.clone()).await.unwrap().close().await;
    let mut db = support::connect(&config).await;
    let made: Vec<(i64, String, String)> = sqlx::query_as(READ).fetch_all(&mut db).await.unwrap();
    let names: Vec<_> = made.iter().map(|row| (row.0, row.1.as_str(), row.2.as_str())).collect();
    assert_eq!(names, RECORD);
    db.execute("UPDATE migrations SET installed_on = '2026-01-01'").await.unwrap();
    db.close().await.unwrap();
    SqliteStore::open(config.clone()).await.unwrap().close().await;
    let mut db = support::connect(&config).await;
    let unchanged: i64 = sqlx::query_scalar("SELECT count(*) FROM migrations WHERE installed_on = '2026-01-01'")
        .fetch_one(&mut db)
        .await
        .unwrap();
    assert_eq!(unchanged, 20);
}

#[tokio::test]
async fn the_release_before_opens_a_file_that_is_a_step_ahead() {
    let config = support::config();
    SqliteStore::open(config.clone()).await.unwrap().close().await;
    let mut db = support::connect(&config).await;
    db.execute("ALTER TABLE sites ADD COLUMN of_a_later_release TEXT").await.unwrap();
    db.execute(
        "INSERT INTO migrations (version, description, success, checksum, execution_time) VALUES (9999, 'later', 1, x'00', 0)",
    )
    .await
    .unwrap();
    db.close().await.unwrap();
    let store = SqliteStore::open(config).await.unwrap();
    assert!(store.plans().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_file_that_another_migration_made_is_refused() {
    let config = support::config();
    SqliteStore::open(config.clone()).await.unwrap().close().await;
    let mut db = support::connect(&config).await;
    db.execute("UPDATE migrations SET checksum = x'00' WHERE version = 2").await.unwrap();
    db.close().await.unwrap();
    assert!(matches!(SqliteStore::open(config).await, Err(OpenError::Migrate(_))));
}

#[tokio::test]
async fn all_tables_are_strict() {
    let config = support::config();
    SqliteStore::open(config.clone()).await.unwrap();
    let mut db = support::connect(&config).await;
    let lax: Vec<String> = sqlx::query_scalar(
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND strict = 0
         AND name NOT LIKE 'sqlite_%' AND name <> 'migrations'",
    )
    .fetch_all(&mut db)
    .await
    .unwrap();
    assert!(lax.is_empty(), "{lax:?}");
}
