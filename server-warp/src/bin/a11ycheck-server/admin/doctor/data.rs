//! What the data need: a store that answers, a clock that is right, disks with room.

use std::{
    env, io,
    path::{Path, PathBuf},
    time::SystemTime,
};

use a11ycheck_storage_postgres::PostgresStore;
use a11ycheck_storage_sqlite::{Contents, ExamineError, ExaminedFile, ServingProcess, SqliteConfig, SqliteStore};
use chrono::{DateTime, TimeDelta, Utc};

use super::{State, Thing, in_words, size};
use crate::{
    sealing,
    settings::Settings,
    store::{Place, absolute},
};

/// Returns the store, the clock and the disks.
pub(super) async fn things(settings: &Settings) -> Vec<Thing> {
    let mut things = match settings.place() {
        Err(error) => vec![Thing::new("store", State::Failed, in_words(&error))],
        Ok(Place::Memory) => vec![
            Thing::new("store", State::Warning, "in memory: everything is gone when the server ends".to_owned()),
            clock(None, Utc::now()),
        ],
        Ok(Place::Folder(folder)) => {
            let file = Place::file(&folder);
            vec![of_file(&file, settings).await, clock(written(&file), Utc::now()), room("disk", &folder, "--data-dir")]
        }
        Ok(Place::Postgres(config)) => match PostgresStore::examine(&config).await {
            Ok(found) => vec![
                Thing::new(
                    "store",
                    State::Ok,
                    format!("PostgreSQL {}, {}", found.version, tables(found.schema, found.newest)),
                ),
                beside(found.clock, Utc::now()),
            ],
            Err(error) => vec![
                Thing::new("store", State::Failed, in_words(&error)),
                Thing::new("clock", State::Unknown, "the database, whose clock counts, does not answer".to_owned()),
            ],
        },
    };
    things.push(room("temporary folder", &env::temp_dir(), "TMPDIR"));
    things
}

/// Returns how far the tables are.
fn tables(found: Option<i64>, newest: i64) -> String {
    match found {
        None => "no tables yet: the first start makes them".to_owned(),
        Some(found) if found == newest => format!("tables at step {found}"),
        Some(found) if found < newest => {
            format!("tables at step {found}, which the next start brings to {newest}; make a backup before")
        }
        Some(found) => format!(
            "tables at step {found}, of a later release: this one, whose last step is {newest}, works on them if it is the release before"
        ),
    }
}

async fn of_file(config: &SqliteConfig, settings: &Settings) -> Thing {
    let path = absolute(config.path());
    let of = |state, details: String| Thing::new("store", state, format!("{}: {details}", path.display()));
    let found = match SqliteStore::examine(config).await {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return of(State::Ok, "not there yet: the first start makes it".to_owned());
        }
        Err(error) => return of(State::Failed, format!("{}; run this as the server's user", in_words(&error))),
    };
    if let Some(kind) = found.unsafe_file_system {
        return of(
            State::Failed,
            format!(
                "is on {kind}, where SQLite's locks do not hold: name a folder on a disk of this machine with --data-dir"
            ),
        );
    }
    let server = match found.server {
        None => "no server works on it".to_owned(),
        Some(ServingProcess { pid: Some(pid), .. }) => format!("served by the process {pid}"),
        Some(_) => "served by another process".to_owned(),
    };
    match found.file {
        None => of(State::Ok, "not there yet: the first start makes it".to_owned()),
        Some(Err(ExamineError::Empty(_))) => of(State::Ok, "empty: the next start makes the tables".to_owned()),
        Some(Err(error @ (ExamineError::Unreadable { .. } | ExamineError::Store { .. }))) => {
            of(State::Failed, format!("{}; run this as the server's user", in_words(&error)))
        }
        Some(Err(error)) => of(
            State::Failed,
            format!(
                "{}; stop the server and put a backup back with `admin restore FILE`, or move the file away",
                in_words(&error)
            ),
        ),
        Some(Ok(ExaminedFile { bytes, contents: Contents { schema, teams, keys, .. }, .. })) => {
            let at_hand = sealing::ids_at_hand(settings);
            let at_hand = match &at_hand {
                Ok(at_hand) => at_hand,
                Err(error) => return of(State::Failed, format!("sound, but {}", in_words(error))),
            };
            let missing: Vec<_> = keys.keys().filter(|key| !at_hand.contains(key)).map(ToString::to_string).collect();
            if missing.is_empty() {
                let tables = tables(Some(schema), found.newest);
                of(State::Ok, format!("sound, {}, teams: {teams}, {tables}, {server}", size(bytes)))
            } else {
                of(
                    State::Failed,
                    format!(
                        "sound, but no server starts on it without {}: put the keys into {}",
                        missing.join(", "),
                        sealing::source(settings)
                    ),
                )
            }
        }
    }
}

/// Returns the instant at which a database was written last.
fn written(config: &SqliteConfig) -> Option<DateTime<Utc>> {
    let mut log = config.path().as_os_str().to_owned();
    log.push("-wal");
    let modified = |path: &Path| path.metadata().and_then(|file| file.modified()).ok();
    let last: Option<SystemTime> = modified(config.path()).max(modified(&PathBuf::from(log)));
    last.map(DateTime::from)
}

/// A clock that is further off than this puts checks and deliveries into the wrong order for people to see.
const TOLERATED: TimeDelta = TimeDelta::seconds(5);

/// Judges the machine's clock, which counts, by the last instant at which the data were written.
fn clock(written: Option<DateTime<Utc>>, now: DateTime<Utc>) -> Thing {
    match written {
        Some(written) if written > now + TOLERATED => Thing::new(
            "clock",
            State::Failed,
            format!(
                "it is {}, and the data were written at {}: set the clock (timedatectl set-ntp true), or checks wait until then",
                now.format("%F %TZ"),
                written.format("%F %TZ")
            ),
        ),
        _ => {
            Thing::new("clock", State::Ok, format!("{}; keep it by NTP, the schedule follows it", now.format("%F %TZ")))
        }
    }
}

/// Judges the machine's clock beside that of the database, which counts.
fn beside(database: DateTime<Utc>, now: DateTime<Utc>) -> Thing {
    let off = (now - database).abs();
    let seconds = off.num_seconds();
    if off > TOLERATED {
        let details = format!(
            "{seconds} s away from the database's, which counts: keep both by NTP, or log lines and links that expire are off by that"
        );
        Thing::new("clock", State::Warning, details)
    } else {
        Thing::new("clock", State::Ok, format!("with the database's, which counts: within {} s", seconds + 1))
    }
}

/// The room below which steps fail soon: the log of the database grows to 64 MiB, a check of many pages takes some.
const LEAST: u64 = 128 << 20;
/// The room below which somebody should see to it.
const LITTLE: u64 = 1 << 30;

/// Judges the room on the disk of a folder, which may not be there yet.
fn room(name: &'static str, folder: &Path, setting: &str) -> Thing {
    let folder = absolute(folder);
    let there = folder.ancestors().find(|folder| folder.exists()).unwrap_or(&folder);
    let found = match rustix::fs::statvfs(there) {
        Ok(found) => found,
        Err(error) => {
            let details =
                format!("{} can't be looked at: {error}; name another folder with {setting}", folder.display());
            return Thing::new(name, State::Failed, details);
        }
    };
    let free = found.f_bavail.saturating_mul(found.f_frsize);
    let details = format!("{} free for {}", size(free), folder.display());
    match free {
        ..LEAST => Thing::new(
            name,
            State::Failed,
            format!("{details}: make room, or name a folder on another disk with {setting}"),
        ),
        LEAST..LITTLE => Thing::new(name, State::Warning, format!("{details}: make room soon")),
        LITTLE.. => Thing::new(name, State::Ok, details),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_went_back_is_found_by_what_was_written_before() {
        let now = Utc::now();
        assert_eq!(clock(None, now).state, State::Ok);
        assert_eq!(clock(Some(now - TimeDelta::days(1)), now).state, State::Ok);
        let wrong = clock(Some(now + TimeDelta::days(400)), now);
        assert!(wrong.state == State::Failed && wrong.details.contains("timedatectl"), "{wrong:?}");
    }

    #[test]
    fn a_clock_beside_the_databases_may_be_a_little_off() {
        let now = Utc::now();
        assert_eq!(beside(now + TimeDelta::seconds(4), now).state, State::Ok);
        let off = beside(now - TimeDelta::seconds(90), now);
        assert!(off.state == State::Warning && off.details.starts_with("90 s away"), "{off:?}");
    }

    #[test]
    fn room_is_looked_for_where_a_folder_will_be() {
        let room = room("disk", Path::new("/nowhere/at/all"), "--data-dir");
        assert!(room.details.ends_with("free for /nowhere/at/all") || room.details.contains("--data-dir"), "{room:?}");
    }

    #[test]
    fn tables_of_another_release_are_said_to_be_so() {
        assert_eq!(tables(Some(7), 7), "tables at step 7");
        assert!(tables(Some(6), 7).contains("make a backup before"));
        assert!(tables(Some(8), 7).contains("a later release"));
        assert!(tables(None, 7).contains("the first start"));
    }
}
