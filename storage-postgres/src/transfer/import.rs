//! Records as rows: one statement for each batch, since each statement is a round trip.

use std::collections::BTreeMap;

use a11ycheck_core::{
    domain::{
        AttemptResult, AuditRecord, BrandName, Delivery, HeadText, Lease, Logo, Membership, PasswordHash, Plan,
        PlatformKey, ScanState, SecondFactor, StandardId,
    },
    id::{ScanId, TeamId},
    store::transfer::{
        Kind, Records, StoredAttempt, StoredBrand, StoredDocument, StoredEndpoint, StoredEntry, StoredEvent,
        StoredFindings, StoredInvitation, StoredPerson, StoredPicture, StoredScan, StoredSecondFactor, StoredSetting,
        StoredSite, StoredTeam, StoredToken, TransferError,
    },
};
use sqlx::{Executor as _, PgConnection, Postgres, QueryBuilder, query_builder::Separated, types::Json};

use super::TransferFailure;
use crate::{
    PostgresStore, assessments, assignments,
    db::{
        columns::stored_word,
        error::{Corrupt, Failure},
        ids::Id,
    },
    deliveries::{
        endpoints::stored_events,
        rows::{StateColumns, stored_status},
    },
    files::{
        store::DOCUMENT,
        uploads::{File, adopt},
    },
    reviews,
    scans::results::{file_name, format_name, size},
    site_fields,
};

/// Refuses tables in which there is something, and lets nobody else begin meanwhile. Nothing else is there without a plan
/// or a team.
pub(super) async fn refuse_content(db: &mut PgConnection) -> Result<(), TransferFailure> {
    db.execute("LOCK TABLE plans, teams, settings, people, event_head IN EXCLUSIVE MODE").await?;
    let content: (bool, bool, bool, bool, bool) = sqlx::query_as(
        "SELECT EXISTS (SELECT FROM plans), EXISTS (SELECT FROM teams), EXISTS (SELECT FROM settings),
             EXISTS (SELECT FROM people),
             EXISTS (SELECT FROM event_head WHERE position > 0) OR EXISTS (SELECT FROM scan_events)",
    )
    .fetch_one(db)
    .await?;
    let (plans, teams, settings, people, entries) = content;
    let content = [
        (Kind::Plan, plans),
        (Kind::Team, teams),
        (Kind::Setting, settings),
        (Kind::Person, people),
        (Kind::Entry, entries),
    ];
    match content.into_iter().find(|(_, is_there)| *is_there) {
        Some((kind, _)) => Err(Failure::Refused(TransferError::NotEmpty(kind))),
        None => Ok(()),
    }
}

/// Stores records, in the order of their kinds.
pub(super) async fn take(
    store: &PostgresStore,
    db: &mut PgConnection,
    records: Records,
) -> Result<(), TransferFailure> {
    match records {
        Records::Plan(records) => plans(db, &records).await,
        Records::Team(records) => teams(db, &records).await,
        Records::Brand(records) => brands(db, &records).await,
        Records::Token(records) => tokens(db, &records).await,
        Records::Setting(records) => settings(db, &records).await,
        Records::Person(records) => persons(db, &records).await,
        Records::SecondFactor(records) => second_factors(db, &records).await,
        Records::Member(records) => members(db, &records).await,
        Records::Invitation(records) => invitations(db, &records).await,
        Records::Audit(records) => audit(db, &records).await,
        Records::Site(records) => sites(db, &records).await,
        Records::SiteField(records) => site_fields::rows::insert(db, &records).await,
        Records::SiteValue(records) => site_fields::rows::insert_values(db, &records).await,
        Records::Judgement(records) => reviews::store::insert(db, &records).await,
        Records::Assignment(records) => assignments::store::insert(db, &records).await,
        Records::Assessment(records) => assessments::rows::insert(db, &records).await,
        Records::Scan(records) => scans(db, &records).await,
        Records::Findings(records) => findings(db, &records).await,
        Records::Picture(records) => pictures(store, db, records).await,
        Records::Document(records) => documents(store, db, records).await,
        Records::Endpoint(records) => endpoints(db, &records).await,
        Records::Event(records) => events(db, &records).await,
        Records::Delivery(records) => deliveries(db, &records).await,
        Records::Attempt(records) => attempts(db, &records).await,
        Records::Entry(records) => entries(db, &records).await,
        Records::NewestPosition(records) => newest_position(db, &records).await,
        other => Err(Corrupt::new(other.kind().plural(), "", "this store does not keep them").into()),
    }
}

/// Inserts rows with one statement, which begins with `into`. Batches differ in length, so it is not kept prepared.
async fn insert<T: Sync>(
    db: &mut PgConnection,
    into: &'static str,
    rows: &[T],
    bind: impl FnMut(Separated<'_, Postgres, &'static str>, &T) + Send,
) -> Result<(), TransferFailure> {
    if rows.is_empty() {
        return Ok(());
    }
    let mut statement = QueryBuilder::new(into);
    statement.push_values(rows, bind);
    statement.build().persistent(false).execute(db).await?;
    Ok(())
}

async fn plans(db: &mut PgConnection, plans: &[Plan]) -> Result<(), TransferFailure> {
    insert(db, "INSERT INTO plans (code, document) ", plans, |mut row, plan| {
        row.push_bind(plan.code.as_str()).push_bind(Json(plan));
    })
    .await
}

async fn teams(db: &mut PgConnection, teams: &[StoredTeam]) -> Result<(), TransferFailure> {
    let standings = teams.iter().map(|team| stored_word(team.standing)).collect::<Result<Vec<_>, _>>()?;
    let rows: Vec<(&StoredTeam, String)> = teams.iter().zip(standings).collect();
    insert(
        db,
        "INSERT INTO teams
             (id, name, plan_code, status, ends_at, trial_ends_at, standing, seats_used, created_at, external_key,
              demands_two_steps) ",
        &rows,
        |mut row, (team, standing)| {
            row.push_bind(Id(team.id))
                .push_bind(&team.name)
                .push_bind(team.plan.as_str())
                .push_bind(team.subscription.status.as_str())
                .push_bind(team.subscription.ends_at)
                .push_bind(team.subscription.trial_ends_at)
                .push_bind(standing)
                .push_bind(i64::from(team.seats_used))
                .push_bind(team.created_at)
                .push_bind(team.external_key.as_ref().map(|key| key.as_str()))
                .push_bind(team.two_steps.are_demanded());
        },
    )
    .await?;
    // The purge examines every team once, unless a hold is in force, and then knows when to come back.
    sqlx::query(
        "INSERT INTO retention (team_id, due_at, held_until)
         SELECT team_id, coalesce(held_until, '-infinity'), held_until
         FROM unnest($1::text[], $2::timestamptz[]) AS held (team_id, held_until)",
    )
    .bind(teams.iter().map(|team| Id(team.id)).collect::<Vec<_>>())
    .bind(teams.iter().map(|team| team.held_until).collect::<Vec<_>>())
    .execute(db)
    .await?;
    Ok(())
}

async fn persons(db: &mut PgConnection, persons: &[StoredPerson]) -> Result<(), TransferFailure> {
    insert(
        db,
        "INSERT INTO people (id, email, name, locale, kind, password, created_at, notices) ",
        persons,
        |mut row, StoredPerson { person, password }| {
            row.push_bind(Id(person.id))
                .push_bind(person.email.as_str())
                .push_bind(&person.name)
                .push_bind(person.locale.code())
                .push_bind(person.kind.to_string())
                .push_bind(password.as_ref().map(PasswordHash::as_str))
                .push_bind(person.created_at)
                .push_bind(person.notices.are_on());
        },
    )
    .await
}

async fn second_factors(db: &mut PgConnection, factors: &[StoredSecondFactor]) -> Result<(), TransferFailure> {
    insert(
        db,
        "INSERT INTO second_factors (person_id, secret, sealed_with, last_period, recovery, since) ",
        factors,
        |mut row, StoredSecondFactor { person, factor }| {
            row.push_bind(Id(*person))
                .push_bind(factor.secret.to_bytes())
                .push_bind(Id(factor.secret.key()))
                .push_bind(i64::try_from(factor.last_period.number()).unwrap_or(i64::MAX))
                .push_bind(SecondFactor::stored_recovery(&factor.recovery))
                .push_bind(factor.since);
        },
    )
    .await
}

async fn members(db: &mut PgConnection, members: &[Membership]) -> Result<(), TransferFailure> {
    insert(db, "INSERT INTO memberships (team_id, person_id, role, since) ", members, |mut row, member| {
        row.push_bind(Id(member.team))
            .push_bind(Id(member.person))
            .push_bind(member.role.to_string())
            .push_bind(member.since);
    })
    .await
}

async fn invitations(db: &mut PgConnection, invitations: &[StoredInvitation]) -> Result<(), TransferFailure> {
    insert(
        db,
        "INSERT INTO invitations (id, team_id, email, role, invited_by, hash, created_at) ",
        invitations,
        |mut row, StoredInvitation { invitation, hash }| {
            row.push_bind(Id(invitation.id))
                .push_bind(Id(invitation.team))
                .push_bind(invitation.email.as_str())
                .push_bind(invitation.role.to_string())
                .push_bind(invitation.invited_by.map(Id))
                .push_bind(hash.as_bytes().as_slice())
                .push_bind(invitation.created_at);
        },
    )
    .await
}

async fn audit(db: &mut PgConnection, records: &[AuditRecord]) -> Result<(), TransferFailure> {
    insert(
        db,
        "INSERT INTO audit_records (id, team_id, person_id, actor, action, subject, address, at) ",
        records,
        |mut row, record| {
            row.push_bind(Id(record.id))
                .push_bind(record.team.map(Id))
                .push_bind(record.person.map(Id))
                .push_bind(&record.actor)
                .push_bind(record.action.to_string())
                .push_bind(&record.subject)
                .push_bind(record.address.map(|address| address.to_string()))
                .push_bind(record.at);
        },
    )
    .await
}

async fn brands(db: &mut PgConnection, brands: &[StoredBrand]) -> Result<(), TransferFailure> {
    insert(
        db,
        "INSERT INTO brands (team_id, name, colour, logo, product_version, contact, evaluator) ",
        brands,
        |mut row, StoredBrand { team, brand }| {
            row.push_bind(Id(*team))
                .push_bind(brand.name.as_ref().map(BrandName::as_str))
                .push_bind(brand.colour.map(|colour| colour.to_string()))
                .push_bind(brand.logo.as_ref().map(Logo::bytes))
                .push_bind(brand.draft.product_version.as_ref().map(HeadText::as_str))
                .push_bind(brand.draft.contact.as_ref().map(HeadText::as_str))
                .push_bind(brand.draft.evaluator.as_ref().map(HeadText::as_str));
        },
    )
    .await
}

async fn tokens(db: &mut PgConnection, tokens: &[StoredToken]) -> Result<(), TransferFailure> {
    insert(
        db,
        "INSERT INTO tokens (id, team_id, name, abilities, hash, created_at, created_by, last_used_on) ",
        tokens,
        |mut row, StoredToken { token, hash }| {
            row.push_bind(Id(token.id))
                .push_bind(Id(token.team))
                .push_bind(&token.name)
                .push_bind(token.abilities.iter().map(|ability| ability.as_str()).collect::<Vec<_>>())
                .push_bind(hash.as_bytes().as_slice())
                .push_bind(token.created_at)
                .push_bind(&token.created_by)
                .push_bind(token.last_used_on);
        },
    )
    .await
}

async fn settings(db: &mut PgConnection, settings: &[StoredSetting]) -> Result<(), TransferFailure> {
    insert(db, "INSERT INTO settings (name, value) ", settings, |mut row, setting| {
        row.push_bind(&setting.name).push_bind(&setting.value);
    })
    .await
}

async fn sites(db: &mut PgConnection, sites: &[StoredSite]) -> Result<(), TransferFailure> {
    insert(
        db,
        "INSERT INTO sites
             (id, team_id, url, domain, name, report_locale, platform, stack, tags, standard, next_scan_at, created_at,
              last_manual_at, previous_manual_at, manual_given_back_at) ",
        sites,
        |mut row, StoredSite { site, manual }| {
            let details = &site.details;
            row.push_bind(Id(site.id))
                .push_bind(Id(site.team))
                .push_bind(details.url.as_str())
                .push_bind(details.url.domain())
                .push_bind(&details.name)
                .push_bind(details.report_locale.code())
                .push_bind(details.platform.as_ref().map(PlatformKey::as_str))
                .push_bind(details.stack.iter().map(PlatformKey::as_str).collect::<Vec<_>>())
                .push_bind(&details.tags)
                .push_bind(details.standard.as_ref().map(StandardId::as_str))
                .push_bind(site.next_scan_at)
                .push_bind(site.created_at)
                .push_bind(manual.last_at)
                .push_bind(manual.previous_at)
                .push_bind(manual.given_back_at);
        },
    )
    .await
}

async fn scans(db: &mut PgConnection, scans: &[StoredScan]) -> Result<(), TransferFailure> {
    let active = scans.iter().filter_map(|stored| Some((stored, stored.urgency?))).collect::<Vec<_>>();
    insert(
        db,
        "INSERT INTO active_scans
             (site_id, scan_id, team_id, queued_at, rank_at, urgency, lease_worker, lease_token, lease_expires_at, attempt,
              started_at, pages_scanned, pages_found) ",
        &active,
        |mut row, (StoredScan { scan, .. }, urgency)| {
            let running = match &scan.state {
                ScanState::Running { lease, attempt, started_at, pages_scanned, pages_found } => {
                    Some((lease, *attempt, *started_at, *pages_scanned, *pages_found))
                }
                ScanState::Queued | ScanState::Completed { .. } | ScanState::Failed { .. } => None,
            };
            let lease: Option<&Lease> = running.map(|(lease, ..)| lease);
            row.push_bind(Id(scan.site))
                .push_bind(Id(scan.id))
                .push_bind(Id(scan.team))
                .push_bind(scan.queued_at)
                .push_bind(urgency.rank_at(scan.queued_at))
                .push_bind(urgency.as_str())
                .push_bind(lease.map(|lease| lease.worker.to_string()))
                .push_bind(lease.map(|lease| lease.token.get()))
                .push_bind(lease.map(|lease| lease.expires_at))
                .push_bind(running.map(|(_, attempt, ..)| i64::from(attempt)))
                .push_bind(running.map(|(_, _, started_at, ..)| started_at))
                .push_bind(running.map(|(_, _, _, pages_scanned, _)| i64::from(pages_scanned)))
                .push_bind(running.map(|(_, _, _, _, pages_found)| i64::from(pages_found)));
        },
    )
    .await?;
    let problems = |stored: &StoredScan| -> Result<Option<i64>, Corrupt> {
        let total = stored.scan.outcome().map(|outcome| i64::try_from(outcome.totals.total())).transpose();
        total.map_err(|error| Corrupt::new("scans", stored.scan.id, error))
    };
    let problems = scans.iter().map(problems).collect::<Result<Vec<_>, _>>()?;
    let rows: Vec<(&StoredScan, Option<i64>)> = scans.iter().zip(problems).collect();
    insert(
        db,
        "INSERT INTO scans
             (id, team_id, site_id, kind, pages_requested, queued_at, express, started_at, finished_at, outcome, problems,
              failure, pages_scanned, incremental) ",
        &rows,
        |mut row, (StoredScan { scan, .. }, problems)| {
            let (started, outcome, failure) = match &scan.state {
                ScanState::Queued | ScanState::Running { .. } => (None, None, None),
                ScanState::Completed { started_at, outcome, .. } => (Some(*started_at), Some(Json(outcome)), None),
                ScanState::Failed { started_at, pages_scanned, failure, .. } => {
                    (Some(*started_at), None, Some((Json(failure), *pages_scanned)))
                }
            };
            row.push_bind(Id(scan.id))
                .push_bind(Id(scan.team))
                .push_bind(Id(scan.site))
                .push_bind(scan.kind.as_str())
                .push_bind(i64::from(scan.pages_requested))
                .push_bind(scan.queued_at)
                .push_bind(scan.express)
                .push_bind(started)
                .push_bind(scan.finished_at())
                .push_bind(outcome)
                .push_bind(*problems)
                .push_bind(failure.map(|(failure, _)| failure))
                .push_bind(failure.map(|(_, pages)| i64::from(pages)))
                .push_bind(scan.depth.is_incremental());
        },
    )
    .await
}

async fn findings(db: &mut PgConnection, documents: &[StoredFindings]) -> Result<(), TransferFailure> {
    insert(db, "INSERT INTO findings (scan_id, team_id, document) ", documents, |mut row, stored| {
        row.push_bind(Id(stored.scan)).push_bind(Id(stored.team)).push_bind(stored.findings.as_bytes());
    })
    .await
}

/// A picture without bytes, and where these are: in the row, or in an upload with their size.
type Placed<T> = (T, Option<Vec<u8>>, Option<(String, i64)>);

async fn pictures(
    store: &PostgresStore,
    db: &mut PgConnection,
    pictures: Vec<StoredPicture>,
) -> Result<(), TransferFailure> {
    let mut rows: Vec<Placed<StoredPicture>> = Vec::with_capacity(pictures.len());
    let mut files: BTreeMap<(ScanId, TeamId), Vec<File>> = BTreeMap::new();
    for mut stored in pictures {
        let bytes = std::mem::take(&mut stored.picture.bytes);
        if store.objects().is_none() {
            rows.push((stored, Some(bytes), None));
        } else {
            let name = file_name(stored.subject.as_str(), i64::from(stored.picture.id.0));
            let (check, size) = ((stored.scan, stored.team), size(&bytes));
            files.entry(check).or_default().push((name, bytes));
            // The upload's name is filled in below.
            rows.push((stored, None, Some((String::new(), size))));
        }
    }
    for ((scan, team), files) in files {
        let upload = adopted(store, db, (scan, team), files).await?;
        let of_scan = rows.iter_mut().filter(|(stored, ..)| stored.scan == scan);
        of_scan.filter_map(|(.., place)| place.as_mut()).for_each(|(name, _)| name.clone_from(&upload));
    }
    insert(
        db,
        "INSERT INTO screenshots (scan_id, team_id, subject, number, format, width, height, bytes, upload, size) ",
        &rows,
        |mut row, (StoredPicture { scan, team, subject, picture }, bytes, place)| {
            row.push_bind(Id(*scan))
                .push_bind(Id(*team))
                .push_bind(subject.as_str())
                .push_bind(i64::from(picture.id.0))
                .push_bind(format_name(picture.format))
                .push_bind(i64::from(picture.width))
                .push_bind(i64::from(picture.height))
                .push_bind(bytes.as_deref())
                .push_bind(place.as_ref().map(|(upload, _)| upload))
                .push_bind(place.as_ref().map(|(_, size)| *size));
        },
    )
    .await
}

async fn documents(
    store: &PostgresStore,
    db: &mut PgConnection,
    documents: Vec<StoredDocument>,
) -> Result<(), TransferFailure> {
    let mut rows: Vec<Placed<StoredDocument>> = Vec::with_capacity(documents.len());
    for mut stored in documents {
        let bytes = std::mem::take(&mut stored.document.bytes);
        if store.objects().is_none() {
            rows.push((stored, Some(bytes), None));
        } else {
            let size = size(&bytes);
            let upload = adopted(store, db, (stored.scan, stored.team), vec![(DOCUMENT.to_owned(), bytes)]).await?;
            rows.push((stored, None, Some((upload, size))));
        }
    }
    insert(
        db,
        "INSERT INTO documents (scan_id, team_id, kind, locale, look, bytes, upload, size) ",
        &rows,
        |mut row, (StoredDocument { scan, team, key, document }, bytes, place)| {
            row.push_bind(Id(*scan))
                .push_bind(Id(*team))
                .push_bind(key.kind())
                .push_bind(key.locale().code())
                .push_bind(document.style.0.as_slice())
                .push_bind(bytes.as_deref())
                .push_bind(place.as_ref().map(|(upload, _)| upload))
                .push_bind(place.as_ref().map(|(_, size)| *size));
        },
    )
    .await
}

/// Writes files of a check to the object store, and returns the name of their upload, which the transaction adopts. The
/// upload is recorded outside of it, so that it is deleted one day if the transaction is not committed.
async fn adopted(
    store: &PostgresStore,
    db: &mut PgConnection,
    (scan, team): (ScanId, TeamId),
    files: Vec<File>,
) -> Result<String, TransferFailure> {
    let upload = store.upload_for_team(team, scan, files).await.map_err(a11ycheck_core::store::StoreError::from)?;
    adopt(db, team, &upload).await?;
    Ok(upload)
}

async fn endpoints(db: &mut PgConnection, endpoints: &[StoredEndpoint]) -> Result<(), TransferFailure> {
    insert(
        db,
        "INSERT INTO endpoints
             (id, team_id, url, events, sealed_secret, sealed_with, sealed_previous, sealed_previous_with, previous_until,
              failed_in_a_row, off_since, created_at) ",
        endpoints,
        |mut row, StoredEndpoint { endpoint, secrets }| {
            let (failed_in_a_row, off_since) = stored_status(endpoint.status);
            let previous = secrets.previous.as_ref();
            row.push_bind(Id(endpoint.id))
                .push_bind(Id(endpoint.team))
                .push_bind(endpoint.details.url.as_str())
                .push_bind(stored_events(&endpoint.details))
                .push_bind(secrets.current.to_bytes())
                .push_bind(Id(secrets.current.key()))
                .push_bind(previous.map(|(secret, _)| secret.to_bytes()))
                .push_bind(previous.map(|(secret, _)| Id(secret.key())))
                .push_bind(previous.map(|(_, until)| *until))
                .push_bind(failed_in_a_row)
                .push_bind(off_since)
                .push_bind(endpoint.created_at);
        },
    )
    .await
}

async fn events(db: &mut PgConnection, events: &[StoredEvent]) -> Result<(), TransferFailure> {
    insert(
        db,
        "INSERT INTO events (id, team_id, kind, created_at, body) ",
        events,
        |mut row, StoredEvent { team, event }| {
            row.push_bind(Id(event.id))
                .push_bind(Id(*team))
                .push_bind(event.kind.as_str())
                .push_bind(event.created_at)
                .push_bind(event.body.as_ref());
        },
    )
    .await
}

async fn deliveries(db: &mut PgConnection, deliveries: &[Delivery]) -> Result<(), TransferFailure> {
    insert(
        db,
        "INSERT INTO deliveries
             (id, team_id, endpoint_id, event_id, created_at, state, attempts, tries, token, after_id, next_attempt_at,
              lease_worker, lease_started_at, finished_at) ",
        deliveries,
        |mut row, delivery| {
            let state = StateColumns::of(&delivery.state);
            row.push_bind(Id(delivery.id))
                .push_bind(Id(delivery.team))
                .push_bind(Id(delivery.endpoint))
                .push_bind(Id(delivery.event))
                .push_bind(delivery.created_at)
                .push_bind(state.state)
                .push_bind(state.attempts)
                .push_bind(state.tries)
                .push_bind(state.token)
                .push_bind(state.after_id)
                .push_bind(state.next_attempt_at)
                .push_bind(state.lease_worker)
                .push_bind(state.lease_started_at)
                .push_bind(state.finished_at);
        },
    )
    .await
}

async fn attempts(db: &mut PgConnection, attempts: &[StoredAttempt]) -> Result<(), TransferFailure> {
    insert(
        db,
        "INSERT INTO delivery_attempts
             (delivery_id, team_id, number, started_at, ended_at, duration, status, excerpt, failure) ",
        attempts,
        |mut row, StoredAttempt { delivery, team, attempt }| {
            let (status, excerpt, failure) = match &attempt.report.result {
                AttemptResult::Answered { status, excerpt } => (Some(i64::from(*status)), Some(excerpt.as_str()), None),
                AttemptResult::Failed(failure) => (None, None, Some(failure.as_str())),
            };
            row.push_bind(Id(*delivery))
                .push_bind(Id(*team))
                .push_bind(i64::from(attempt.number))
                .push_bind(attempt.started_at)
                .push_bind(attempt.ended_at)
                // More than an i64 of microseconds would be 292,000 years.
                .push_bind(attempt.report.duration.num_microseconds().unwrap_or(i64::MAX))
                .push_bind(status)
                .push_bind(excerpt)
                .push_bind(failure);
        },
    )
    .await
}

async fn entries(db: &mut PgConnection, entries: &[StoredEntry]) -> Result<(), TransferFailure> {
    insert(
        db,
        "INSERT INTO scan_events (position, kind, team_id, site_id, scan_id, at) ",
        entries,
        |mut row, StoredEntry { entry, at }| {
            row.push_bind(entry.position.cast_signed())
                .push_bind(entry.kind.as_str())
                .push_bind(Id(entry.team))
                .push_bind(Id(entry.site))
                .push_bind(Id(entry.scan))
                .push_bind(*at);
        },
    )
    .await
}

/// Sets the position from which readers continue. Positions have no gaps, so what is not there was purged.
async fn newest_position(db: &mut PgConnection, positions: &[u64]) -> Result<(), TransferFailure> {
    let newest = positions.iter().max().map_or(0, |position| position.cast_signed());
    sqlx::query("UPDATE event_head SET position = $1, purged = $1 - (SELECT count(*) FROM scan_events)")
        .bind(newest)
        .execute(db)
        .await?;
    Ok(())
}
