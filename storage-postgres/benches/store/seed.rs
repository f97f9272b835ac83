//! Fills the tables of a store with as many teams as one likes: the same data every time (`seed.sql`). The test of the query
//! plans uses it too.

use std::{fmt::Write as _, io::Write as _};

use a11ycheck_core::{
    domain::{DiffSummary, Engine, Findings, Outcome, PlanCatalog, Totals},
    store::TeamStore as _,
};
use a11ycheck_storage_postgres::{PostgresConfig, PostgresStore};
use flate2::{Compression, write::GzEncoder};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection};

/// How much there is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    pub(crate) teams: i64,
    /// Of each team.
    pub(crate) sites: i64,
    /// Completed checks of each site.
    pub(crate) checks: i64,
    /// Of so many sites, the last has a queued check.
    pub(crate) queued: i64,
}

/// The id of a row, by its number.
pub(crate) fn id<T: std::str::FromStr<Err: std::fmt::Debug>>(kind: &str, number: i64) -> T {
    format!("{kind}_01J0000000{number:016}").parse().unwrap()
}

/// Fills a schema that does not exist yet. The store that is left behind has the shipped plans.
///
/// `schema` is a plain name; the connection that fills it is made to `url`.
pub(crate) async fn seed(config: &PostgresConfig, url: &str, schema: &str, scale: Scale) {
    let store = PostgresStore::connect(config.clone()).await.unwrap();
    store.put_plans(PlanCatalog::shipped().plans()).await.unwrap();
    store.close().await;
    let mut db = PgConnection::connect(url).await.unwrap();
    // A plain name, as the caller promises; the statements below are ours, and so is what is put into them.
    db.execute(AssertSqlSafe(format!("SET search_path = {schema}"))).await.unwrap();
    for statement in statements(scale) {
        db.execute(AssertSqlSafe(statement)).await.unwrap();
    }
    // What it has read is reported when it ends.
    db.close().await.unwrap();
}

fn statements(Scale { teams, sites, checks, queued }: Scale) -> Vec<String> {
    let engine = Engine::axe_core("4.14.1", "Chromium 156");
    let outcome = Outcome {
        pages_scanned: 25,
        totals: Totals { critical: 1, serious: 2, moderate: 3, minor: 1 },
        diff: DiffSummary::first(),
        engine: engine.clone(),
    };
    let findings = Findings {
        engine,
        pages: vec![],
        rules: Default::default(),
        items: vec![],
        needs_review: Default::default(),
        stack: vec![],
        screen: None,
        ran: None,
        pictures_not_stored: false,
        stopped_by_timeouts: false,
    };
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(&serde_json::to_vec(&findings).unwrap()).unwrap();
    let findings = gzip.finish().unwrap().iter().fold(String::new(), |mut hex, byte| {
        write!(hex, "{byte:02x}").unwrap();
        hex
    });
    let text = include_str!("seed.sql")
        .replace("{teams}", &teams.to_string())
        .replace("{sites}", &sites.to_string())
        .replace("{checks}", &checks.to_string())
        .replace("{queued}", &queued.to_string())
        .replace("{outcome}", &serde_json::to_string(&outcome).unwrap())
        .replace("{findings}", &findings);
    // One at a time: several in one text would be one transaction.
    text.split(";\n").map(str::to_owned).collect()
}
