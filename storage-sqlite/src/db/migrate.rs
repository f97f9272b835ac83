//! Bringing the tables up to date: `migrations/README.md` has the rules.

use std::{io, path::Path};

use sqlx::{Connection as _, SqliteConnection, migrate::Migrator, sqlite::SqliteConnectOptions};

use crate::{
    OpenError,
    db::{config::APPLICATION_ID, error::is_no_database},
};

/// Every migration, with the number and the name of its file. `build.rs` has this compiled again when a file is added.
static MIGRATIONS: Migrator = sqlx::migrate!();

/// Returns the number of the last migration of this release.
pub(crate) fn newest() -> i64 {
    MIGRATIONS.iter().map(|migration| migration.version).max().unwrap_or_default()
}

/// Refuses a file that another program made. It is looked at before any setting is made, most of which would change it.
pub(crate) async fn refuse_foreign(path: &Path) -> Result<(), OpenError> {
    match std::fs::metadata(path) {
        Ok(file) if file.len() > 0 => {}
        Ok(_) => return Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(OpenError::unreachable(path, error)),
    }
    let looked_at = async {
        let mut connection = SqliteConnection::connect_with(&SqliteConnectOptions::new().filename(path)).await?;
        let (id, is_empty): (i32, bool) = sqlx::query_as(
            "SELECT (SELECT application_id FROM pragma_application_id), NOT EXISTS (SELECT 1 FROM sqlite_schema)",
        )
        .fetch_one(&mut connection)
        .await?;
        connection.close().await?;
        Ok((id, is_empty))
    };
    match looked_at.await {
        // One without tables is ours, from a start that was ended before it made any.
        Ok((APPLICATION_ID, _) | (0, true)) => Ok(()),
        Ok(_) => Err(OpenError::Foreign(path.to_owned())),
        Err(error) if is_no_database(&error) => Err(OpenError::Foreign(path.to_owned())),
        Err(error) => Err(OpenError::unreachable(path, error)),
    }
}

/// Creates the tables, or brings them up to date, in one transaction. Of several processes, one does, and the others wait
/// for it.
pub(crate) async fn migrate(connection: &mut SqliteConnection) -> Result<(), OpenError> {
    let failed = |error: sqlx::Error| OpenError::Migrate(error.into());
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await.map_err(failed)?;
    // A pragma takes no parameter.
    sqlx::query(APPLICATION).execute(&mut *transaction).await.map_err(failed)?;
    let mut migrator = Migrator::with_migrations(MIGRATIONS.iter().cloned().collect());
    migrator.dangerous_set_table_name("migrations");
    // Whoever goes back to the release before finds the tables a step ahead.
    migrator.set_ignore_missing(true);
    // `run` is the same, but no future with it can be sent between threads.
    migrator.run_direct(None, &mut *transaction, false).await.map_err(OpenError::Migrate)?;
    transaction.commit().await.map_err(failed)
}

/// Writes [`APPLICATION_ID`] into the file's header.
const APPLICATION: &str = "PRAGMA application_id = 1093742937";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_statement_writes_our_number() {
        assert!(APPLICATION.ends_with(&APPLICATION_ID.to_string()));
        assert_eq!(&APPLICATION_ID.to_be_bytes(), b"A11Y");
    }
}
