//! The database that tests use.

/// Returns the address of the database that `DATABASE_URL` names.
///
/// # Panics
///
/// If there is none: a test that needs a database is never skipped.
pub fn database_url() -> String {
    std::env::var("DATABASE_URL").unwrap_or_else(|_| {
        panic!(
            "DATABASE_URL is not set: run the tests with `cargo xtask test`, which starts a PostgreSQL for them, or name a \
             database where schemas may be created, with a user who may create databases"
        )
    })
}
