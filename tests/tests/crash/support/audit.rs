//! The audit: what happened in the tables, recorded by the database itself in the transactions in which it happened. A
//! transaction that was undone leaves no line, and of two of which one waited for the other, the later has the greater
//! number.
//!
//! Recording takes its time, in the middle of the transaction, so that some of the processes that are killed die there.

use std::collections::BTreeMap;

use sqlx::{AssertSqlSafe, Executor as _, PgPool};
use sqlx_macros::FromRow;

/// The number of seconds by which the recording of an end, or the making of a delivery, is delayed.
const HELD_UP: f64 = 0.02;

/// Begins to record each beginning, claim and end of a check, and each claim and end of a delivery.
pub(crate) async fn install(db: &PgPool) {
    let of_active = "
        IF TG_OP = 'INSERT' THEN
            INSERT INTO audit (what, site_id, id) VALUES ('queued', NEW.site_id, NEW.scan_id);
        ELSIF TG_OP = 'DELETE' THEN
            INSERT INTO audit (what, site_id, id) VALUES ('left', OLD.site_id, OLD.scan_id);
        ELSIF NEW.lease_token IS DISTINCT FROM OLD.lease_token THEN
            INSERT INTO audit (what, site_id, id) VALUES ('claimed', NEW.site_id, NEW.scan_id);
        END IF;";
    let of_scans = "
        IF OLD.finished_at IS NOT NULL THEN
            INSERT INTO audit (what, site_id, id) VALUES ('changed after its end', NEW.site_id, NEW.id);
        ELSIF NEW.finished_at IS NOT NULL THEN
            INSERT INTO audit (what, site_id, id)
            VALUES (CASE WHEN NEW.outcome IS NULL THEN 'failed' ELSE 'completed' END, NEW.site_id, NEW.id);
        END IF;";
    let of_deliveries = "
        IF TG_OP = 'INSERT' THEN
            INSERT INTO audit (what, id) VALUES ('made', NEW.id);
        ELSIF OLD.state <> 'pending' THEN
            INSERT INTO audit (what, id) VALUES ('changed after its end', NEW.id);
        ELSIF NEW.state <> 'pending' THEN
            INSERT INTO audit (what, id) VALUES (NEW.state, NEW.id);
        ELSIF NEW.token <> OLD.token THEN
            INSERT INTO audit (what, id) VALUES ('claimed', NEW.id);
        END IF;";
    let table = "CREATE TABLE audit (n bigserial PRIMARY KEY, what text NOT NULL, site_id text, id text NOT NULL)";
    db.execute(table).await.unwrap();
    for (table, events, body) in [
        ("active_scans", "INSERT OR UPDATE OR DELETE", of_active),
        ("scans", "UPDATE", of_scans),
        ("deliveries", "INSERT OR UPDATE", of_deliveries),
    ] {
        // The names and statements are those of this function.
        let statements = format!(
            "CREATE FUNCTION audit_{table}() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
                 {body}
                 PERFORM pg_sleep({HELD_UP});
                 RETURN NULL;
             END $$;
             CREATE TRIGGER audit AFTER {events} ON {table} FOR EACH ROW EXECUTE FUNCTION audit_{table}();"
        );
        db.execute(AssertSqlSafe(statements)).await.unwrap();
    }
}

#[derive(Debug, FromRow)]
struct Line {
    what: String,
    site_id: Option<String>,
    id: String,
}

/// The entries about checks and deliveries, each by its id, in order.
pub(crate) struct Audit {
    pub(crate) checks: BTreeMap<String, Vec<String>>,
    pub(crate) deliveries: BTreeMap<String, Vec<String>>,
    /// The number of lines that were written and undone, by steps that were cut off before their end.
    pub(crate) undone: usize,
}

impl Audit {
    /// Reads the recorded lines.
    ///
    /// # Panics
    /// If a site had two checks at once.
    pub(crate) async fn read(db: &PgPool) -> Self {
        let lines: Vec<Line> =
            sqlx::query_as("SELECT what, site_id, id FROM audit ORDER BY n").fetch_all(db).await.unwrap();
        // The numbers of lines that were undone are not assigned again.
        let given: i64 = sqlx::query_scalar("SELECT last_value FROM audit_n_seq").fetch_one(db).await.unwrap();
        let undone = usize::try_from(given).unwrap() - lines.len();
        let mut audit = Self { checks: BTreeMap::new(), deliveries: BTreeMap::new(), undone };
        let mut active: BTreeMap<String, String> = BTreeMap::new();
        for Line { what, site_id, id } in lines {
            let Some(site) = site_id else {
                audit.deliveries.entry(id).or_default().push(what);
                continue;
            };
            match what.as_str() {
                "queued" => {
                    let before = active.insert(site.clone(), id.clone());
                    assert_eq!(before, None, "{site} got {id} while it had another check");
                }
                "left" => assert_eq!(active.remove(&site).as_ref(), Some(&id), "{site} had {id}, and it alone"),
                _ => {}
            }
            audit.checks.entry(id).or_default().push(what);
        }
        assert_eq!(active, BTreeMap::new(), "nothing is left queued or running");
        audit
    }

    /// Returns how often something happened to a check or a delivery.
    pub(crate) fn count(of_one: &[String], what: &str) -> usize {
        of_one.iter().filter(|other| *other == what).count()
    }
}
