//! Records as rows.
//!
//! Statements of one row, each prepared once: within one process, a row costs what binding it costs.

use a11ycheck_core::{
    domain::{
        Assessment, Assignment, AttemptReport, AttemptResult, AuditRecord, BrandName, Delivery, EndpointDetails,
        HeadText, Judgement, Lease, Logo, Membership, NewEvent, PasswordHash, Plan, PlatformKey, ScanState,
        SecondFactor, StandardId,
    },
    store::{
        Document,
        transfer::{
            Kind, Records, StoredAttempt, StoredBrand, StoredDocument, StoredEndpoint, StoredEntry, StoredEvent,
            StoredFindings, StoredInvitation, StoredPerson, StoredPicture, StoredScan, StoredSecondFactor,
            StoredSetting, StoredSite, StoredSiteField, StoredSiteValue, StoredTeam, StoredToken, TransferError,
        },
    },
};
use sqlx::SqliteConnection;

use super::TransferFailure;
use crate::{
    assessments, assignments,
    db::{
        columns::{json, stored_word},
        error::{Corrupt, Failure},
        ids::{At, Id},
    },
    deliveries::{
        endpoints::stored_events,
        rows::{StateColumns, stored_status},
    },
    reviews::rows::insert,
    scans::{event_log::newest, results::format_name},
    site_fields,
};

/// Refuses a file in which there is something. Nothing else is there without a plan or a team.
pub(super) async fn refuse_content(db: &mut SqliteConnection) -> Result<(), TransferFailure> {
    let content: (bool, bool, bool, bool, bool) = sqlx::query_as(concat!(
        "SELECT EXISTS (SELECT 1 FROM plans), EXISTS (SELECT 1 FROM teams), EXISTS (SELECT 1 FROM settings), ",
        "EXISTS (SELECT 1 FROM people), ",
        newest!(),
        " > 0"
    ))
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
pub(super) async fn take(db: &mut SqliteConnection, records: Records) -> Result<(), TransferFailure> {
    macro_rules! each {
        ($records:expr, $insert:ident) => {
            for record in $records {
                $insert(&mut *db, record).await?;
            }
        };
    }
    match records {
        Records::Plan(plans) => each!(plans, plan),
        Records::Team(teams) => each!(teams, team),
        Records::Brand(brands) => each!(brands, brand),
        Records::Token(tokens) => each!(tokens, token),
        Records::Setting(settings) => each!(settings, setting),
        Records::Person(persons) => each!(persons, person),
        Records::SecondFactor(factors) => each!(factors, second_factor),
        Records::Member(members) => each!(members, member),
        Records::Invitation(invitations) => each!(invitations, invitation),
        Records::Audit(records) => each!(records, audit),
        Records::Site(sites) => each!(sites, site),
        Records::SiteField(fields) => each!(fields, site_field),
        Records::SiteValue(values) => each!(values, site_value),
        Records::Judgement(judgements) => each!(judgements, judgement),
        Records::Assignment(assignments) => each!(assignments, assignment),
        Records::Assessment(assessments) => each!(assessments, assessment),
        Records::Scan(scans) => each!(scans, scan),
        Records::Findings(documents) => each!(documents, findings),
        Records::Picture(pictures) => each!(pictures, picture),
        Records::Document(documents) => each!(documents, document),
        Records::Endpoint(endpoints) => each!(endpoints, endpoint),
        Records::Event(events) => each!(events, event),
        Records::Delivery(deliveries) => each!(deliveries, delivery),
        Records::Attempt(attempts) => each!(attempts, attempt),
        Records::Entry(entries) => each!(entries, entry),
        Records::NewestPosition(positions) => each!(positions, newest_position),
        other => return Err(Corrupt::new(other.kind().plural(), "", "this store does not keep them").into()),
    }
    Ok(())
}

async fn plan(db: &mut SqliteConnection, plan: Plan) -> Result<(), TransferFailure> {
    sqlx::query("INSERT INTO plans (code, document) VALUES (?1, ?2)")
        .bind(plan.code.as_str())
        .bind(json(&plan)?)
        .execute(db)
        .await?;
    Ok(())
}

async fn team(db: &mut SqliteConnection, team: StoredTeam) -> Result<(), TransferFailure> {
    sqlx::query(
        // The purge examines every team once, unless a hold is in force, and then knows when to come back.
        "INSERT INTO teams
             (id, name, plan_code, status, ends_at, trial_ends_at, standing, seats_used, created_at, external_key, held_until,
              purge_due_at, demands_two_steps)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, coalesce(?11, 0), ?12)",
    )
    .bind(Id(team.id))
    .bind(team.name)
    .bind(team.plan.as_str())
    .bind(team.subscription.status.as_str())
    .bind(team.subscription.ends_at.map(At))
    .bind(team.subscription.trial_ends_at.map(At))
    .bind(stored_word(team.standing)?)
    .bind(i64::from(team.seats_used))
    .bind(At(team.created_at))
    .bind(team.external_key.as_ref().map(|key| key.as_str()))
    .bind(team.held_until.map(At))
    .bind(team.two_steps.are_demanded())
    .execute(db)
    .await?;
    Ok(())
}

async fn person(db: &mut SqliteConnection, stored: StoredPerson) -> Result<(), TransferFailure> {
    let StoredPerson { person, password } = stored;
    sqlx::query(
        "INSERT INTO people (id, email, name, locale, kind, password, created_at, notices)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )
    .bind(Id(person.id))
    .bind(person.email.as_str())
    .bind(&person.name)
    .bind(person.locale.code())
    .bind(stored_word(person.kind)?)
    .bind(password.as_ref().map(PasswordHash::as_str))
    .bind(At(person.created_at))
    .bind(person.notices.are_on())
    .execute(db)
    .await?;
    Ok(())
}

async fn second_factor(db: &mut SqliteConnection, stored: StoredSecondFactor) -> Result<(), TransferFailure> {
    let StoredSecondFactor { person, factor } = stored;
    sqlx::query(
        "INSERT INTO second_factors (person_id, secret, sealed_with, last_period, recovery, since)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )
    .bind(Id(person))
    .bind(factor.secret.to_bytes())
    .bind(Id(factor.secret.key()))
    .bind(i64::try_from(factor.last_period.number()).unwrap_or(i64::MAX))
    .bind(SecondFactor::stored_recovery(&factor.recovery))
    .bind(At(factor.since))
    .execute(db)
    .await?;
    Ok(())
}

async fn member(db: &mut SqliteConnection, member: Membership) -> Result<(), TransferFailure> {
    sqlx::query("INSERT INTO memberships (team_id, person_id, role, since) VALUES (?1, ?2, ?3, ?4)")
        .bind(Id(member.team))
        .bind(Id(member.person))
        .bind(stored_word(member.role)?)
        .bind(At(member.since))
        .execute(db)
        .await?;
    Ok(())
}

async fn invitation(db: &mut SqliteConnection, stored: StoredInvitation) -> Result<(), TransferFailure> {
    let StoredInvitation { invitation, hash } = stored;
    sqlx::query(
        "INSERT INTO invitations (id, team_id, email, role, invited_by, hash, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )
    .bind(Id(invitation.id))
    .bind(Id(invitation.team))
    .bind(invitation.email.as_str())
    .bind(stored_word(invitation.role)?)
    .bind(invitation.invited_by.map(Id))
    .bind(hash.as_bytes().as_slice())
    .bind(At(invitation.created_at))
    .execute(db)
    .await?;
    Ok(())
}

async fn audit(db: &mut SqliteConnection, record: AuditRecord) -> Result<(), TransferFailure> {
    sqlx::query(
        "INSERT INTO audit_records (id, team_id, person_id, actor, action, subject, address, at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )
    .bind(Id(record.id))
    .bind(record.team.map(Id))
    .bind(record.person.map(Id))
    .bind(record.actor)
    .bind(stored_word(record.action)?)
    .bind(record.subject)
    .bind(record.address.map(|address| address.to_string()))
    .bind(At(record.at))
    .execute(db)
    .await?;
    Ok(())
}

async fn brand(db: &mut SqliteConnection, StoredBrand { team, brand }: StoredBrand) -> Result<(), TransferFailure> {
    sqlx::query(
        "INSERT INTO brands (team_id, name, colour, logo, product_version, contact, evaluator)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )
    .bind(Id(team))
    .bind(brand.name.as_ref().map(BrandName::as_str))
    .bind(brand.colour.map(|colour| colour.to_string()))
    .bind(brand.logo.as_ref().map(Logo::bytes))
    .bind(brand.draft.product_version.as_ref().map(HeadText::as_str))
    .bind(brand.draft.contact.as_ref().map(HeadText::as_str))
    .bind(brand.draft.evaluator.as_ref().map(HeadText::as_str))
    .execute(db)
    .await?;
    Ok(())
}

async fn token(db: &mut SqliteConnection, StoredToken { token, hash }: StoredToken) -> Result<(), TransferFailure> {
    sqlx::query(
        "INSERT INTO tokens (id, team_id, name, abilities, hash, created_at, created_by, last_used_on)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )
    .bind(Id(token.id))
    .bind(Id(token.team))
    .bind(&token.name)
    .bind(json(&token.abilities)?)
    .bind(hash.as_bytes().as_slice())
    .bind(At(token.created_at))
    .bind(&token.created_by)
    .bind(token.last_used_on.map(|day| day.to_string()))
    .execute(db)
    .await?;
    Ok(())
}

async fn setting(db: &mut SqliteConnection, setting: StoredSetting) -> Result<(), TransferFailure> {
    sqlx::query("INSERT INTO settings (name, value) VALUES (?1, ?2)")
        .bind(setting.name)
        .bind(setting.value)
        .execute(db)
        .await?;
    Ok(())
}

async fn site(db: &mut SqliteConnection, StoredSite { site, manual }: StoredSite) -> Result<(), TransferFailure> {
    let details = site.details;
    let stack: Vec<&str> = details.stack.iter().map(PlatformKey::as_str).collect();
    sqlx::query(
        "INSERT INTO sites
             (id, team_id, url, domain, name, report_locale, platform, stack, tags, standard, next_scan_at, created_at,
              last_manual_at, previous_manual_at, manual_given_back_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
    )
    .bind(Id(site.id))
    .bind(Id(site.team))
    .bind(details.url.as_str())
    .bind(details.url.domain())
    .bind(&details.name)
    .bind(details.report_locale.code())
    .bind(details.platform.as_ref().map(PlatformKey::as_str))
    .bind(json(&stack)?)
    .bind(json(&details.tags)?)
    .bind(details.standard.as_ref().map(StandardId::as_str))
    .bind(At(site.next_scan_at))
    .bind(At(site.created_at))
    .bind(manual.last_at.map(At))
    .bind(manual.previous_at.map(At))
    .bind(manual.given_back_at.map(At))
    .execute(db)
    .await?;
    Ok(())
}

async fn site_field(db: &mut SqliteConnection, field: StoredSiteField) -> Result<(), TransferFailure> {
    site_fields::rows::insert(db, &field).await
}

async fn site_value(db: &mut SqliteConnection, value: StoredSiteValue) -> Result<(), TransferFailure> {
    site_fields::rows::put(db, &value).await
}

async fn judgement(db: &mut SqliteConnection, judgement: Judgement) -> Result<(), TransferFailure> {
    insert(db, &judgement).await
}

async fn assignment(db: &mut SqliteConnection, assignment: Assignment) -> Result<(), TransferFailure> {
    assignments::rows::insert(db, &assignment).await
}

async fn assessment(db: &mut SqliteConnection, assessment: Assessment) -> Result<(), TransferFailure> {
    assessments::rows::insert(db, &assessment).await
}

async fn scan(db: &mut SqliteConnection, stored: StoredScan) -> Result<(), TransferFailure> {
    if stored.urgency.is_some() {
        active_scan(&mut *db, &stored).await?;
    }
    let scan = stored.scan;
    let corrupt = |error| Corrupt::new("scans", scan.id, error);
    let (mut started, mut finished, mut outcome, mut problems, mut failure, mut pages) =
        (None, None, None, None, None, None);
    match &scan.state {
        ScanState::Queued | ScanState::Running { .. } => {}
        ScanState::Completed { started_at, finished_at, outcome: completed } => {
            (started, finished) = (Some(At(*started_at)), Some(At(*finished_at)));
            outcome = Some(json(completed)?);
            problems = Some(i64::try_from(completed.totals.total()).map_err(corrupt)?);
        }
        ScanState::Failed { started_at, finished_at, pages_scanned, failure: reason } => {
            (started, finished) = (Some(At(*started_at)), Some(At(*finished_at)));
            failure = Some(json(reason)?);
            pages = Some(i64::from(*pages_scanned));
        }
    }
    sqlx::query(
        "INSERT INTO scans
             (id, team_id, site_id, kind, pages_requested, queued_at, express, started_at, finished_at, outcome, problems,
              failure, pages_scanned, incremental)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
    )
    .bind(Id(scan.id))
    .bind(Id(scan.team))
    .bind(Id(scan.site))
    .bind(scan.kind.as_str())
    .bind(i64::from(scan.pages_requested))
    .bind(At(scan.queued_at))
    .bind(scan.express)
    .bind(started)
    .bind(finished)
    .bind(outcome)
    .bind(problems)
    .bind(failure)
    .bind(pages)
    .bind(scan.depth.is_incremental())
    .execute(db)
    .await?;
    Ok(())
}

async fn active_scan(db: &mut SqliteConnection, stored: &StoredScan) -> Result<(), TransferFailure> {
    let StoredScan { scan, urgency: Some(urgency) } = stored else { return Ok(()) };
    let running = match &scan.state {
        ScanState::Running { lease, attempt, started_at, pages_scanned, pages_found } => {
            Some((lease, *attempt, *started_at, *pages_scanned, *pages_found))
        }
        ScanState::Queued | ScanState::Completed { .. } | ScanState::Failed { .. } => None,
    };
    let lease: Option<&Lease> = running.map(|(lease, ..)| lease);
    sqlx::query(
        "INSERT INTO active_scans
             (site_id, scan_id, team_id, queued_at, rank_at, urgency, lease_worker, lease_token, lease_expires_at, attempt,
              started_at, pages_scanned, pages_found)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
    )
    .bind(Id(scan.site))
    .bind(Id(scan.id))
    .bind(Id(scan.team))
    .bind(At(scan.queued_at))
    .bind(At(urgency.rank_at(scan.queued_at)))
    .bind(urgency.as_str())
    .bind(lease.map(|lease| lease.worker.to_string()))
    .bind(lease.map(|lease| lease.token.get()))
    .bind(lease.map(|lease| At(lease.expires_at)))
    .bind(running.map(|(_, attempt, ..)| i64::from(attempt)))
    .bind(running.map(|(_, _, started_at, ..)| At(started_at)))
    .bind(running.map(|(_, _, _, pages_scanned, _)| i64::from(pages_scanned)))
    .bind(running.map(|(_, _, _, _, pages_found)| i64::from(pages_found)))
    .execute(db)
    .await?;
    Ok(())
}

async fn findings(db: &mut SqliteConnection, stored: StoredFindings) -> Result<(), TransferFailure> {
    sqlx::query("INSERT INTO findings (scan_id, team_id, document) VALUES (?1, ?2, ?3)")
        .bind(Id(stored.scan))
        .bind(Id(stored.team))
        .bind(stored.findings.as_bytes())
        .execute(db)
        .await?;
    Ok(())
}

async fn picture(db: &mut SqliteConnection, stored: StoredPicture) -> Result<(), TransferFailure> {
    let picture = stored.picture;
    sqlx::query(
        "INSERT INTO screenshots (scan_id, team_id, subject, number, format, width, height, bytes)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )
    .bind(Id(stored.scan))
    .bind(Id(stored.team))
    .bind(stored.subject.as_str())
    .bind(i64::from(picture.id.0))
    .bind(format_name(picture.format))
    .bind(i64::from(picture.width))
    .bind(i64::from(picture.height))
    .bind(picture.bytes)
    .execute(db)
    .await?;
    Ok(())
}

async fn document(db: &mut SqliteConnection, stored: StoredDocument) -> Result<(), TransferFailure> {
    let Document { style, bytes } = stored.document;
    sqlx::query(
        "INSERT INTO documents (scan_id, team_id, kind, locale, style_hash, bytes) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )
    .bind(Id(stored.scan))
    .bind(Id(stored.team))
    .bind(stored.key.kind())
    .bind(stored.key.locale().code())
    .bind(style.0.as_slice())
    .bind(bytes)
    .execute(db)
    .await?;
    Ok(())
}

async fn endpoint(db: &mut SqliteConnection, stored: StoredEndpoint) -> Result<(), TransferFailure> {
    let StoredEndpoint { endpoint, secrets } = stored;
    let (failed_in_a_row, off_since) = stored_status(endpoint.status);
    let details: &EndpointDetails = &endpoint.details;
    let previous = secrets.previous.as_ref();
    sqlx::query(
        "INSERT INTO endpoints
             (id, team_id, url, events, sealed_secret, sealed_with, sealed_previous, sealed_previous_with, previous_until,
              failed_in_a_row, off_since, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
    )
    .bind(Id(endpoint.id))
    .bind(Id(endpoint.team))
    .bind(details.url.as_str())
    .bind(stored_events(details)?)
    .bind(secrets.current.to_bytes())
    .bind(Id(secrets.current.key()))
    .bind(previous.map(|(secret, _)| secret.to_bytes()))
    .bind(previous.map(|(secret, _)| Id(secret.key())))
    .bind(previous.map(|(_, until)| At(*until)))
    .bind(failed_in_a_row)
    .bind(off_since)
    .bind(At(endpoint.created_at))
    .execute(db)
    .await?;
    Ok(())
}

async fn event(db: &mut SqliteConnection, StoredEvent { team, event }: StoredEvent) -> Result<(), TransferFailure> {
    let NewEvent { id, kind, created_at, body } = event;
    sqlx::query("INSERT INTO events (id, team_id, kind, created_at, body) VALUES (?1, ?2, ?3, ?4, ?5)")
        .bind(Id(id))
        .bind(Id(team))
        .bind(kind.as_str())
        .bind(At(created_at))
        .bind(body.as_ref())
        .execute(db)
        .await?;
    Ok(())
}

async fn delivery(db: &mut SqliteConnection, delivery: Delivery) -> Result<(), TransferFailure> {
    let state = StateColumns::of(&delivery.state);
    sqlx::query(
        "INSERT INTO deliveries
             (id, team_id, endpoint_id, event_id, created_at, state, attempts, tries, token, after_id, next_attempt_at,
              lease_worker, lease_started_at, finished_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
    )
    .bind(Id(delivery.id))
    .bind(Id(delivery.team))
    .bind(Id(delivery.endpoint))
    .bind(Id(delivery.event))
    .bind(At(delivery.created_at))
    .bind(state.state)
    .bind(state.attempts)
    .bind(state.tries)
    .bind(state.token)
    .bind(state.after_id)
    .bind(state.next_attempt_at)
    .bind(state.lease_worker)
    .bind(state.lease_started_at)
    .bind(state.finished_at)
    .execute(db)
    .await?;
    Ok(())
}

async fn attempt(db: &mut SqliteConnection, stored: StoredAttempt) -> Result<(), TransferFailure> {
    let AttemptReport { duration, result } = &stored.attempt.report;
    let (status, excerpt, failure) = match result {
        AttemptResult::Answered { status, excerpt } => (Some(i64::from(*status)), Some(excerpt.as_str()), None),
        AttemptResult::Failed(failure) => (None, None, Some(failure.as_str())),
    };
    sqlx::query(
        "INSERT INTO delivery_attempts
             (delivery_id, team_id, number, started_at, ended_at, duration, status, excerpt, failure)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )
    .bind(Id(stored.delivery))
    .bind(Id(stored.team))
    .bind(i64::from(stored.attempt.number))
    .bind(At(stored.attempt.started_at))
    .bind(At(stored.attempt.ended_at))
    // More than an i64 of microseconds would be 292,000 years.
    .bind(duration.num_microseconds().unwrap_or(i64::MAX))
    .bind(status)
    .bind(excerpt)
    .bind(failure)
    .execute(db)
    .await?;
    Ok(())
}

async fn entry(db: &mut SqliteConnection, StoredEntry { entry, at }: StoredEntry) -> Result<(), TransferFailure> {
    let position = i64::try_from(entry.position).map_err(|error| Corrupt::new("scan_events", entry.position, error))?;
    sqlx::query(
        "INSERT INTO scan_events (position, kind, team_id, site_id, scan_id, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )
    .bind(position)
    .bind(entry.kind.as_str())
    .bind(Id(entry.team))
    .bind(Id(entry.site))
    .bind(Id(entry.scan))
    .bind(At(at))
    .execute(db)
    .await?;
    Ok(())
}

/// Sets the position from which `AUTOINCREMENT` continues, also where all entries were purged.
async fn newest_position(db: &mut SqliteConnection, position: u64) -> Result<(), TransferFailure> {
    let position = i64::try_from(position).map_err(|error| Corrupt::new("scan_events", position, error))?;
    if position == 0 {
        return Ok(());
    }
    sqlx::query("DELETE FROM sqlite_sequence WHERE name = 'scan_events'").execute(&mut *db).await?;
    sqlx::query("INSERT INTO sqlite_sequence (name, seq) VALUES ('scan_events', ?1)")
        .bind(position)
        .execute(db)
        .await?;
    Ok(())
}
