//! Migrations bring the tables up to date, whichever node starts when, and beside whatever else the database contains.

use a11ycheck_core::store::TeamStore as _;
use a11ycheck_storage_postgres::{ConnectError, PostgresStore};
use chrono::{DateTime, Utc};
use sqlx::{AssertSqlSafe, Executor as _, PgConnection};
use tokio::task::JoinSet;

use crate::support;

/// The record of each migration in every database: number, name and SHA-384 of the file. None of it may ever change, or
/// no database could be opened any longer.
const RECORD: [(i64, &str, &str); 36] = [
    (
        1,
        "plans and teams",
        "d83ddac89f19e11fc00b7f0d30953c3453368b891abee248e9e7f18ed082bfee0f375c51f4514077c712c940d1291524",
    ),
    (
        2,
        "request counters",
        "d0e7ede30cfcde47558392f8f649d143f62dda5d481627fa279f0e8b0403e2bf8e02045ecd73ac91da696307a3f26508",
    ),
    (3, "sites", "e386471849c1dc73334f111a5ea0be5fc665b48fcf87580eaf81f45ea88813d72b0e148d58db08d152082133b9e2a696"),
    (4, "scans", "262dc71b4c01789c56a8b6b227885eaaac2b990f5855d8dc6a640b7e5c8fb52fcea64c4438bad23fb5ed9430f77f7be1"),
    (5, "results", "9347df5ed0d9d7c7a737b22ddf924cd1b42334c7d410bbe827e5d47df9ccd0d68314fc7f9b319cbbb0c61c187d2743a0"),
    (
        6,
        "documents",
        "087c75e4762c7307a8b32b5d4377958a51ab78cd6b0d3e63d8f96c9d0f95407bed248928937100da8b00cd3e8b46f185",
    ),
    (7, "webhooks", "5fdc7cd73375e02e47b80df4ec422cb42c5c62ba7616343d22b85f2302597e59aba79c3043fa1e0269470c8531440f70"),
    (8, "brands", "25dbaa64fc03fec894fccfc6bff70721d050213b3490a3ad772ed47cc2f01f2cdb9f436b3029f340beedc852021515e8"),
    (
        9,
        "retention",
        "48051751581c8971931daae267ad1fa47626fe5dfd9c8e4d020debc7ea1c9da6b89520b0b7bfec0a4b4ea78199580542",
    ),
    (10, "objects", "99c3efdbf148a98f803ae0968b12995f150e3da6ccd60bfb559cc83e4d5bf4de4411a81546c0a99317e2b579a16e6f50"),
    (11, "vacuum", "ae60f731168ade25cc6aa28bf23e975f72dbabdd8e9844f2184dc9de0a346f67853c9f94c13faf5582f4db3e482627b8"),
    (
        12,
        "tries of attempts",
        "5dd4b638267a5bf72ba5a01caef42e456928426e7c10d461b847d5725065935c84095278d1c9e1df0b0dda2887d0ed12",
    ),
    (
        13,
        "settings and holds",
        "dfe5727b66f34ce1a28a802197a3008fa7e3d29d63983e2aaccbcf38ec6e69d9baa7f2c5b26416501ff76c2e15c4afb7",
    ),
    (
        14,
        "sealed secrets",
        "4c470afb3cec4a280e15357c90dd00cf0630d59720ff378c9c630c21ebdf9452f1a78af6336b89bd9e57609dd3068159",
    ),
    (
        15,
        "manual checks and platforms",
        "73fd9aa2923ec3ba26019846db4ace4958f2c86c7018819db3aa6432f073292dab67e78960c73db08ca6792c72251c41",
    ),
    (
        16,
        "deleted teams",
        "1b72e3bad4f3b36ab0706b5434557c8ba0383d175840e3a4e57139595422e569a01bbc110cabfa95150f56af8486ca69",
    ),
    (
        17,
        "claim order",
        "3fcc172913c8a3cc1947b58ebd7d7f7871e74cea1ea1f636512a1fcefcb92fdb7130c7a9d82f9eafb150e4bd738f70b2",
    ),
    (18, "urgency", "f5007a36fe19480ecf20815fe227728cf89d8445ae4f1e80efebebef9ad4448c6b2eb76e2490c814e81f3f9595e93eeb"),
    (
        19,
        "pages found",
        "4d1ca96b3ecf02cdee94a3260b81eb657f88f2b47195aebaad4448188fbe0d839a99f6831017c2c4e56a1ac254044e1a",
    ),
    (
        20,
        "scan events",
        "c595b4f730306bb1b97ebda81da30d9ca5c756b23d0cf2afe6084169af47020febf85df0e97e955793312bbadb1aad2d",
    ),
    (
        21,
        "external keys",
        "f12d7e6c993025affd600bc8a5f2fa3e13474193fdbe62eb0282f88b96828d209592e5495e40b40e19489529bf6d99af",
    ),
    (
        22,
        "full reports",
        "b419f91926fce430326c0b911540cea6775351405b9ae9d914b058f5c89b64e4b740d0d09184804f5fef84a4d664b6e8",
    ),
    (
        23,
        "standards and drafts",
        "af7a8db78efbd3cda8356f1a20e7c333efb0e96e8e133c7c7ca5f763232946373ac81d767c84ae5126ef04af72a29a79",
    ),
    (24, "people", "790dec4697262afdbdf7213889f6ec725a9f6936a62f9802b77b336a1b21971815dc1daf49a7becedd77ea1b846ba4ba"),
    (
        25,
        "judgements",
        "d0fdc0c1cbd7d645b2d01f9cd779a8f30af7b36681239f18a07df16679e0af2e9ae881d2c4bc196c700ada2632e2a2ce",
    ),
    (26, "mail", "c6198403e519b00bf9ac7d9aa5450b8e947f64ebe3d3fa7b049ef83116967aad2fea31072d5fb3ef24b88bd456a3749c"),
    (
        27,
        "token use",
        "3979238d66317b8a1c18d5b087acd3dd54105764ebd43aae3019e6ab515d55dccdd0016214ca82d0ba96169e0b2ae41d",
    ),
    (
        28,
        "shared reports",
        "bf161c9f762779fae07bc28a16ef5971cff61ab3ae0c06a724a0e4973f76797fda650512bd4ecebd4a7792874788be81",
    ),
    (
        29,
        "second factors",
        "6c34aa269e1be080f2d801a35afdf796da553f666810487f63ce36799a771bd52b38f41001d7223ad10181f0e1f256c5",
    ),
    (
        30,
        "assignments",
        "3545fc06664588451a603b6477dfba7191556edb126bc1a958eb4cd1d7732dbb6da3a15e083d4aecb1bce65686c9cb48",
    ),
    (31, "batches", "a041c8aeb4120d2fa062f3c9e88356bf9e2bba24da4bd0d2b49a43d4b2f42643668b715330d410f70584185e7952f46d"),
    (
        32,
        "site fields",
        "09e866884d8d75b3b3516d36c35571eab80971e6f14092b2c6043e1a761dbd56a655412c17fcc71617d0360a5784366f",
    ),
    (33, "memos", "d04ac8e7736fc7dd07b475597e44672cd18d873dc13c68e19bf411a6a6c75d6d5147d347bd97e9d40de30c10c5f3ac49"),
    (
        34,
        "two steps",
        "9abdfa03a941f2c546c0016c20326f53bcc7282e32e94c78178aac93fb0d07d0fe803d18af27944c060208157e88a637",
    ),
    (
        35,
        "assessments",
        "d6febefc99bbcbcf4958770c5c6cb8e1539578ae64c127c94933baed35e162564fedfcb4f5932bb88f42e691491e4ba4",
    ),
    (36, "depths", "42f48cc4b587dbccf5f0069ad81ebb1f0f54913c27bb565dc3b4bd0df01f6207e9d50eb879efe19d1b63d39860d3b7c2"),
];

/// Reads the record of a schema, with the time at which each migration was run.
async fn record(db: &mut PgConnection, schema: &str) -> Vec<(i64, String, String, bool, DateTime<Utc>, i64)> {
    // The support module made the name: nothing in it needs quoting. Likewise below.
    let rows = format!(
        "SELECT version, description, encode(checksum, 'hex'), success, installed_on, execution_time
         FROM {schema}.migrations ORDER BY version"
    );
    sqlx::query_as(AssertSqlSafe(rows)).fetch_all(db).await.unwrap()
}

#[tokio::test]
async fn a_database_of_an_earlier_start_is_opened_unchanged() {
    let (config, schema) = support::config_at(&support::url()).await;
    PostgresStore::connect(config.clone()).await.unwrap();
    let mut db = support::connect().await;
    let made: Vec<_> = record(&mut db, &schema).await;
    let names: Vec<_> = made.iter().map(|row| (row.0, row.1.as_str(), row.2.as_str(), row.3)).collect();
    assert_eq!(names, RECORD.map(|(version, name, checksum)| (version, name, checksum, true)));

    // The record as an earlier start left it.
    let earlier = format!("UPDATE {schema}.migrations SET installed_on = '2026-01-01', execution_time = version");
    db.execute(AssertSqlSafe(earlier)).await.unwrap();
    let before = record(&mut db, &schema).await;
    PostgresStore::connect(config).await.unwrap();
    assert_eq!(record(&mut db, &schema).await, before);
}

#[tokio::test]
async fn nodes_that_start_at_the_same_moment_on_an_empty_database_all_come_up() {
    let config = support::config().await;
    let mut starts = JoinSet::new();
    for _ in 0..6 {
        starts.spawn(PostgresStore::connect(config.clone()));
    }
    for started in starts.join_all().await {
        assert_eq!(started.unwrap().plans().await.unwrap(), []);
    }
}

#[tokio::test]
async fn a_second_start_leaves_what_is_there() {
    let config = support::config().await;
    let plans = a11ycheck_core::domain::PlanCatalog::shipped();
    let first = PostgresStore::connect(config.clone()).await.unwrap();
    first.put_plans(plans.plans()).await.unwrap();
    let second = PostgresStore::connect(config).await.unwrap();
    assert_eq!(second.plans().await.unwrap(), first.plans().await.unwrap());
    assert_eq!(second.plans().await.unwrap().len(), plans.plans().len());
}

#[tokio::test]
async fn everything_lies_in_the_chosen_schema() {
    let mut db = support::connect().await;
    let others = "SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
         WHERE nspname IN ('public', 'a11ycheck') OR nspname = current_schema";
    let before: i64 = sqlx::query_scalar(others).fetch_one(&mut db).await.unwrap();
    let (config, schema) = support::config_at(&support::url()).await;
    PostgresStore::connect(config).await.unwrap();
    let after: i64 = sqlx::query_scalar(others).fetch_one(&mut db).await.unwrap();
    assert_eq!(after, before, "a host application's schemas are left alone");
    let tables: Vec<String> =
        sqlx::query_scalar("SELECT tablename::text FROM pg_tables WHERE schemaname = $1 ORDER BY tablename")
            .bind(schema)
            .fetch_all(&mut db)
            .await
            .unwrap();
    let expected = [
        "active_scans",
        "assessments",
        "assignments",
        "audit_records",
        "batches",
        "brands",
        "deliveries",
        "delivery_attempts",
        "documents",
        "endpoints",
        "event_head",
        "events",
        "findings",
        "first_link",
        "invitations",
        "judgements",
        "mails",
        "memberships",
        "memos",
        "migrations",
        "people",
        "plans",
        "request_counters",
        "retention",
        "scan_events",
        "scans",
        "screenshots",
        "second_factors",
        "sessions",
        "settings",
        "shared_reports",
        "site_fields",
        "site_values",
        "sites",
        "teams",
        "tokens",
        "uploads",
    ];
    assert_eq!(tables, expected);
}

#[tokio::test]
async fn a_node_of_the_previous_release_starts_on_tables_that_are_a_step_ahead() {
    let (config, schema) = support::config_at(&support::url()).await;
    PostgresStore::connect(config.clone()).await.unwrap();
    let mut db = support::connect().await;
    let ahead = format!("INSERT INTO {schema}.migrations VALUES (9999, 'of the next release', now(), true, '', 0)");
    db.execute(AssertSqlSafe(ahead)).await.unwrap();
    PostgresStore::connect(config).await.unwrap();
}

#[tokio::test]
async fn a_migration_that_was_changed_after_it_ran_stops_the_start() {
    let (config, schema) = support::config_at(&support::url()).await;
    PostgresStore::connect(config.clone()).await.unwrap();
    let mut db = support::connect().await;
    db.execute(AssertSqlSafe(format!("UPDATE {schema}.migrations SET checksum = '' WHERE version = 1"))).await.unwrap();
    let refused = PostgresStore::connect(config).await.unwrap_err();
    assert!(matches!(refused, ConnectError::Migrate(_)), "{refused:?}");
}

#[tokio::test]
async fn a_migration_that_fails_leaves_nothing_half_done_and_the_next_start_goes_on() {
    let (config, schema) = support::config_at(&support::url()).await;
    let mut db = support::connect().await;
    // This table is in the way of the third migration.
    db.execute(AssertSqlSafe(format!("CREATE SCHEMA {schema}; CREATE TABLE {schema}.sites ()"))).await.unwrap();
    let refused = PostgresStore::connect(config.clone()).await.unwrap_err();
    assert!(matches!(refused, ConnectError::Migrate(_)), "{refused:?}");
    let done: Vec<i64> =
        sqlx::query_scalar(AssertSqlSafe(format!("SELECT version FROM {schema}.migrations ORDER BY version")))
            .fetch_all(&mut db)
            .await
            .unwrap();
    assert_eq!(done, [1, 2]);
    db.execute(AssertSqlSafe(format!("DROP TABLE {schema}.sites"))).await.unwrap();
    PostgresStore::connect(config).await.unwrap();
}

#[tokio::test]
async fn a_database_that_is_not_there_is_reported_at_the_start() {
    let folder = std::env::temp_dir().join("a11ycheck-no-database-here");
    let url = format!("postgres://nobody@localhost/none?host={}", folder.display());
    let refused = PostgresStore::connect(a11ycheck_storage_postgres::PostgresConfig::new(url)).await.unwrap_err();
    assert!(matches!(refused, ConnectError::Unreachable(_)), "{refused:?}");
}
