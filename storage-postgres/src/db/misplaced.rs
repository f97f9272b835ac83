//! Tables that are in the wrong schema.
//!
//! Up to release 0.1.0 the search path was a parameter of the start-up, which PgBouncer drops with
//! `ignore_startup_parameters = options`. Then migrations made their tables in the role's default schema, usually
//! `public`, and only the record of them in ours.

use sqlx::PgConnection;

use crate::{ConnectError, db::pooler::Relocation};

/// Every table that the migrations of that time make, with the migration's number.
const TABLES: [(i64, &str); 18] = [
    (1, "plans"),
    (1, "teams"),
    (1, "tokens"),
    (2, "request_counters"),
    (3, "sites"),
    (4, "active_scans"),
    (4, "scans"),
    (5, "findings"),
    (5, "screenshots"),
    (6, "documents"),
    (7, "endpoints"),
    (7, "events"),
    (7, "deliveries"),
    (7, "delivery_attempts"),
    (8, "brands"),
    (9, "retention"),
    (10, "uploads"),
    (13, "settings"),
];

/// Every function that they make, likewise.
const FUNCTIONS: [(i64, &str); 2] = [(4, "history_start(timestamptz, jsonb)"), (9, "history_end(timestamptz, jsonb)")];

/// Returns the schemas in which a connection of this role creates and looks up by default.
pub(crate) async fn default_schemas(db: &mut PgConnection) -> Result<Vec<String>, sqlx::Error> {
    sqlx::query_scalar("SELECT current_schemas(false)::text[]").fetch_one(db).await
}

/// Refuses an installation whose tables are in another schema than their record. `defaults` are [`default_schemas`].
///
/// # Errors
/// [`ConnectError::Misplaced`], [`ConnectError::Unreachable`].
pub(crate) async fn refuse(db: &mut PgConnection, schema: &str, defaults: Vec<String>) -> Result<(), ConnectError> {
    match find(db, schema, defaults).await.map_err(ConnectError::Unreachable)? {
        Some(relocation) => Err(ConnectError::Misplaced(Box::new(relocation))),
        None => Ok(()),
    }
}

async fn find(
    db: &mut PgConnection,
    schema: &str,
    mut candidates: Vec<String>,
) -> Result<Option<Relocation>, sqlx::Error> {
    let is_recorded: bool = sqlx::query_scalar("SELECT to_regclass(format('%I.migrations', $1::text)) IS NOT NULL")
        .bind(schema)
        .fetch_one(&mut *db)
        .await?;
    if !is_recorded {
        return Ok(None);
    }
    // The connection's search path is our schema.
    let done: Option<i64> = sqlx::query_scalar("SELECT max(version) FROM migrations").fetch_one(&mut *db).await?;
    let done = done.unwrap_or(0);
    let made = |what: &[(i64, &str)]| -> Vec<String> {
        what.iter().filter(|(version, _)| *version <= done).map(|(_, name)| (*name).to_owned()).collect()
    };
    let missing: Vec<String> = sqlx::query_scalar(
        "SELECT made FROM unnest($1::text[]) WITH ORDINALITY AS t (made, place)
         WHERE to_regclass(format('%I.%I', $2::text, made)) IS NULL ORDER BY place",
    )
    .bind(made(&TABLES))
    .bind(schema)
    .fetch_all(&mut *db)
    .await?;
    if missing.is_empty() {
        return Ok(None);
    }
    candidates.push("public".to_owned());
    let from: Option<String> = sqlx::query_scalar(
        "SELECT candidate FROM unnest($1::text[]) WITH ORDINALITY AS t (candidate, place)
         WHERE candidate <> $2 AND (
             SELECT bool_and(to_regclass(format('%I.%I', candidate, missing)) IS NOT NULL)
             FROM unnest($3::text[]) AS missing
         ) ORDER BY place LIMIT 1",
    )
    .bind(candidates)
    .bind(schema)
    .bind(&missing)
    .fetch_optional(&mut *db)
    .await?;
    let Some(from) = from else { return Ok(None) };
    let functions: Vec<String> = sqlx::query_scalar(
        "SELECT made FROM unnest($1::text[]) WITH ORDINALITY AS t (made, place)
         WHERE to_regprocedure(format('%I.', $2::text) || made) IS NOT NULL ORDER BY place",
    )
    .bind(made(&FUNCTIONS))
    .bind(&from)
    .fetch_all(db)
    .await?;
    Ok(Some(Relocation { from, to: schema.to_owned(), tables: missing, functions }))
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::*;

    #[test]
    fn every_table_and_function_of_that_time_is_known() {
        /// The last migration that was run with a search path from the start-up.
        const LAST: i64 = 17;
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations");
        let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort_unstable();
        let (mut tables, mut functions) = (Vec::new(), Vec::new());
        for file in files.iter().filter(|file| file.extension().is_some_and(|end| end == "sql")) {
            let version: i64 = file.file_name().unwrap().to_str().unwrap()[..4].parse().unwrap();
            if version > LAST {
                continue;
            }
            for line in fs::read_to_string(file).unwrap().lines() {
                let name = |rest: &str| rest.split([' ', '(']).next().unwrap().to_owned();
                if let Some((_, rest)) = line.split_once("TABLE ").filter(|(create, _)| create.starts_with("CREATE")) {
                    tables.push((version, name(rest)));
                }
                if let Some(rest) = line.strip_prefix("CREATE FUNCTION ") {
                    functions.push((version, name(rest)));
                }
            }
        }
        assert_eq!(tables, TABLES.map(|(version, name)| (version, name.to_owned())));
        let names = FUNCTIONS.map(|(version, name)| (version, name.split('(').next().unwrap().to_owned()));
        assert_eq!(functions, names);
    }
}
