//! Fills the tables of a store with any number of teams: the same data every time (`seed.sql`). The test of the query
//! plans uses it too.

use std::{fmt::Write as _, io::Write as _};

use a11ycheck_core::{
    domain::{DiffSummary, Findings, Outcome, PlanCatalog, Tool, Totals},
    store::TeamStore as _,
};
use a11ycheck_storage_postgres::{PostgresConfig, PostgresStore};
use flate2::{Compression, write::GzEncoder};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection};

/// The amount of data.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    pub(crate) teams: i64,
    /// The number of sites of each team.
    pub(crate) sites: i64,
    /// The number of completed checks of each site.
    pub(crate) checks: i64,
    /// One site in so many has a queued check: the last of them.
    pub(crate) queued: i64,
}

/// Returns the id of a row, by its number.
pub(crate) fn id<T: std::str::FromStr<Err: std::fmt::Debug>>(kind: &str, number: i64) -> T {
    format!("{kind}_01J0000000{number:016}").parse().unwrap()
}

/// Fills a schema that does not exist yet. The store in it has the shipped plans.
///
/// `schema` is a plain name; the connection that fills it is made to `url`.
pub(crate) async fn seed(config: &PostgresConfig, url: &str, schema: &str, scale: Scale) {
    let store = PostgresStore::connect(config.clone()).await.unwrap();
    store.put_plans(PlanCatalog::shipped().plans()).await.unwrap();
    store.close().await;
    let mut db = PgConnection::connect(url).await.unwrap();
    // A plain name, as the caller promises; the statements below are ours, and so are the values in them.
    db.execute(AssertSqlSafe(format!("SET search_path = {schema}"))).await.unwrap();
    for statement in statements(include_str!("seed.sql"), scale) {
        db.execute(AssertSqlSafe(statement)).await.unwrap();
    }
    // The rows that a connection has read are reported when it ends.
    db.close().await.unwrap();
}

/// Returns the statements of a text, with the numbers and values that it names in braces.
pub(crate) fn statements(text: &str, Scale { teams, sites, checks, queued }: Scale) -> Vec<String> {
    let engine = Tool::axe_core("4.14.1", "Chromium 156");
    let totals = Totals { critical: 1, serious: 2, moderate: 3, minor: 1 };
    let outcome = Outcome::new(25, totals, DiffSummary::first(), engine.clone());
    let findings = Findings::new(engine);
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(&serde_json::to_vec(&findings).unwrap()).unwrap();
    let findings = gzip.finish().unwrap().iter().fold(String::new(), |mut hex, byte| {
        write!(hex, "{byte:02x}").unwrap();
        hex
    });
    let text = text
        .replace("{teams}", &teams.to_string())
        .replace("{sites}", &sites.to_string())
        .replace("{checks}", &checks.to_string())
        .replace("{queued}", &queued.to_string())
        .replace("{outcome}", &serde_json::to_string(&outcome).unwrap())
        .replace("{findings}", &findings);
    // One at a time: several in one text would be one transaction.
    text.split(";\n").map(str::to_owned).collect()
}
