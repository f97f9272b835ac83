//! The tables as records: one statement for each kind, whose rows are read as they come.

use a11ycheck_core::{
    domain::{
        EventKind, ExternalKey, NewEvent, ScanEventEntry, ScanEventKind, SecretHash, Team, TeamBrand, TokenHash,
        TwoSteps, Urgency,
    },
    store::{
        Credentials, Document, DocumentKey, StyleHash,
        transfer::{
            PackedFindings, PictureSubject, Record, RecordSink, StoredAttempt, StoredBrand, StoredDocument,
            StoredEndpoint, StoredEntry, StoredEvent, StoredFindings, StoredInvitation, StoredPerson, StoredPicture,
            StoredScan, StoredSecondFactor, StoredSetting, StoredSite, StoredTeam, StoredToken,
        },
    },
};
use futures_util::TryStreamExt as _;
use sqlx::SqliteConnection;
use sqlx_macros::FromRow;

use super::TransferFailure;
use crate::{
    assessments::rows::{AssessmentRow, assessment_columns},
    assignments::rows::{AssignmentRow, assignment_columns},
    db::{
        columns::{BoxedError, named},
        error::{Corrupt, Failure},
        ids::At,
    },
    deliveries::rows::{
        AttemptRow, DeliveryRow, EndpointRow, SecretsRow, delivery_columns, endpoint_columns, secrets_columns,
    },
    people::rows::{
        AuditRow, CredentialsRow, InvitationRow, MembershipRow, SecondFactorRow, audit_columns, invitation_columns,
        person_columns, second_factor_columns,
    },
    reviews::rows::{JudgementRow, judgement_columns},
    scans::{
        event_log::newest,
        results::ScreenshotRow,
        rows::{ScanRow, scan_columns},
    },
    site_fields::rows::{FieldRow, ValueRow, field_columns, value_columns},
    sites::rows::{ManualRow, SiteRow, manual_columns, site_columns},
    teams::rows::{BrandRow, PlanRow, TeamRow, TokenRow, team_columns, token_columns},
};

/// Gives each row of a statement to the sink, as the record that `$read` makes of it; `None` is left out.
macro_rules! give {
    ($db:expr, $sink:expr, $row:ty, $read:expr, $($statement:expr),+ $(,)?) => {{
        let mut rows = sqlx::query_as::<_, $row>(concat!($($statement),+)).fetch(&mut *$db);
        while let Some(row) = rows.try_next().await? {
            let record: Option<Record> = $read(row)?;
            if let Some(record) = record {
                $sink.put(record).await.map_err(Failure::Refused)?;
            }
        }
    }};
}

/// The checks that exist: what belongs to deleted ones, and is still to follow them, is not moved.
macro_rules! of_a_check {
    ($table:literal) => {
        concat!(" FROM ", $table, " f WHERE EXISTS (SELECT 1 FROM scans s WHERE s.id = f.scan_id)")
    };
}

/// Gives everything, as the connection's transaction sees it.
pub(super) async fn give(db: &mut SqliteConnection, sink: &mut dyn RecordSink) -> Result<(), TransferFailure> {
    owners(db, sink).await?;
    scans(db, sink).await?;
    outbox(db, sink).await
}

/// Gives plans, teams, what teams own except for checks, and the settings.
async fn owners(db: &mut SqliteConnection, sink: &mut dyn RecordSink) -> Result<(), TransferFailure> {
    give!(
        db,
        sink,
        PlanRow,
        |row: PlanRow| row.plan().map(|plan| Some(Record::Plan(plan))),
        "SELECT p.code AS plan_code, p.document AS plan FROM plans p ORDER BY p.code"
    );
    give!(
        db,
        sink,
        ExportedTeam,
        ExportedTeam::record,
        "SELECT ",
        team_columns!(),
        ", t.external_key, t.demands_two_steps, t.held_until FROM teams t JOIN plans p ON p.code = t.plan_code ORDER BY t.id"
    );
    give!(
        db,
        sink,
        BrandRow,
        brand,
        "SELECT team_id, name, colour, logo, product_version, contact, evaluator FROM brands ORDER BY team_id"
    );
    give!(
        db,
        sink,
        ExportedToken,
        ExportedToken::record,
        "SELECT ",
        token_columns!(),
        ", k.hash FROM tokens k ORDER BY k.id"
    );
    give!(
        db,
        sink,
        (String, String),
        |(name, value)| Ok::<_, Corrupt>(Some(Record::Setting(StoredSetting { name, value }))),
        "SELECT name, value FROM settings ORDER BY name"
    );
    give!(db, sink, CredentialsRow, person, "SELECT ", person_columns!(), ", u.password FROM people u ORDER BY u.id");
    give!(
        db,
        sink,
        SecondFactorRow,
        second_factor,
        "SELECT ",
        second_factor_columns!(),
        " FROM second_factors f ORDER BY f.person_id"
    );
    give!(
        db,
        sink,
        MembershipRow,
        |row: MembershipRow| row.membership().map(|member| Some(Record::Member(member))),
        "SELECT team_id, person_id, role, since FROM memberships ORDER BY team_id, person_id"
    );
    give!(
        db,
        sink,
        ExportedInvitation,
        ExportedInvitation::record,
        "SELECT ",
        invitation_columns!(),
        ", i.hash FROM invitations i ORDER BY i.id"
    );
    give!(
        db,
        sink,
        AuditRow,
        |row: AuditRow| row.record().map(|record| Some(Record::Audit(record))),
        "SELECT ",
        audit_columns!(),
        " FROM audit_records a ORDER BY a.id"
    );
    give!(
        db,
        sink,
        ExportedSite,
        ExportedSite::record,
        "SELECT ",
        site_columns!(),
        ", ",
        manual_columns!(),
        " FROM sites site ORDER BY site.id"
    );
    give!(
        db,
        sink,
        FieldRow,
        |row: FieldRow| row.stored().map(|field| Some(Record::SiteField(field))),
        "SELECT ",
        field_columns!(),
        " FROM site_fields f ORDER BY f.id"
    );
    give!(
        db,
        sink,
        ValueRow,
        |row: ValueRow| row.stored().map(|value| Some(Record::SiteValue(value))),
        "SELECT ",
        value_columns!(),
        " FROM site_values v ORDER BY v.site_id, v.field_id"
    );
    give!(
        db,
        sink,
        JudgementRow,
        |row: JudgementRow| row.judgement().map(|judgement| Some(Record::Judgement(judgement))),
        "SELECT ",
        judgement_columns!(),
        " FROM judgements j ORDER BY j.id"
    );
    give!(
        db,
        sink,
        AssignmentRow,
        |row: AssignmentRow| row.assignment().map(|assignment| Some(Record::Assignment(assignment))),
        "SELECT ",
        assignment_columns!(),
        " FROM assignments w ORDER BY w.id"
    );
    give!(
        db,
        sink,
        AssessmentRow,
        |row: AssessmentRow| row.assessment().map(|assessment| Some(Record::Assessment(assessment))),
        "SELECT ",
        assessment_columns!(),
        " FROM assessments c ORDER BY c.site_id, c.criterion"
    );
    Ok(())
}

/// Gives checks, and what completed ones found.
async fn scans(db: &mut SqliteConnection, sink: &mut dyn RecordSink) -> Result<(), TransferFailure> {
    give!(
        db,
        sink,
        ExportedScan,
        ExportedScan::record,
        "SELECT ",
        scan_columns!(),
        ", a.urgency FROM scans s LEFT JOIN active_scans a ON a.scan_id = s.id ORDER BY s.id"
    );
    give!(
        db,
        sink,
        (String, String, Vec<u8>),
        findings,
        "SELECT f.scan_id, f.team_id, f.document",
        of_a_check!("findings"),
        " ORDER BY f.scan_id"
    );
    give!(
        db,
        sink,
        ExportedPicture,
        ExportedPicture::record,
        "SELECT f.team_id, f.subject, f.scan_id, f.number, f.format, f.width, f.height, f.bytes",
        of_a_check!("screenshots"),
        // Those of a later release count as none.
        " AND f.format IN ('png', 'webp') ORDER BY f.scan_id, f.subject, f.number"
    );
    give!(
        db,
        sink,
        ExportedDocument,
        ExportedDocument::record,
        "SELECT f.scan_id, f.team_id, f.kind, f.locale, f.style_hash, f.bytes",
        of_a_check!("documents"),
        " ORDER BY f.scan_id, f.kind, f.locale"
    );
    Ok(())
}

/// Gives endpoints, events and their deliveries, and the log of occurrences.
async fn outbox(db: &mut SqliteConnection, sink: &mut dyn RecordSink) -> Result<(), TransferFailure> {
    give!(
        db,
        sink,
        ExportedEndpoint,
        ExportedEndpoint::record,
        "SELECT ",
        endpoint_columns!(),
        ", ",
        secrets_columns!(),
        " FROM endpoints e ORDER BY e.id"
    );
    give!(
        db,
        sink,
        ExportedEvent,
        ExportedEvent::record,
        "SELECT id, team_id, kind, created_at, body FROM events ORDER BY id"
    );
    give!(
        db,
        sink,
        DeliveryRow,
        |row: DeliveryRow| row.delivery().map(|delivery| Some(Record::Delivery(delivery))),
        "SELECT ",
        delivery_columns!(),
        " FROM deliveries d JOIN events ev ON ev.id = d.event_id ORDER BY d.id"
    );
    give!(
        db,
        sink,
        ExportedAttempt,
        ExportedAttempt::record,
        "SELECT delivery_id, team_id, number, started_at, ended_at, duration, status, excerpt, failure
         FROM delivery_attempts ORDER BY delivery_id, number"
    );
    give!(
        db,
        sink,
        ExportedEntry,
        ExportedEntry::record,
        "SELECT position, kind, team_id, site_id, scan_id, at FROM scan_events ORDER BY position"
    );
    let position: i64 = sqlx::query_scalar(concat!("SELECT ", newest!())).fetch_one(&mut *db).await?;
    sink.put(Record::NewestPosition(position.unsigned_abs())).await.map_err(Failure::Refused)
}

#[derive(FromRow)]
struct ExportedTeam {
    #[sqlx(flatten)]
    team: TeamRow,
    external_key: Option<String>,
    demands_two_steps: bool,
    held_until: Option<At>,
}

impl ExportedTeam {
    fn record(self) -> Result<Option<Record>, Corrupt> {
        let Team { id, name, plan, subscription, standing, seats_used, created_at } = self.team.team()?;
        let key = self.external_key.map(ExternalKey::new).transpose();
        let team = StoredTeam {
            id,
            name,
            external_key: key.map_err(|error| Corrupt::new("teams", id, error))?,
            plan: plan.code,
            subscription,
            standing,
            seats_used,
            created_at,
            held_until: self.held_until.map(|at| at.0),
            two_steps: TwoSteps::from_flag(self.demands_two_steps),
        };
        Ok(Some(Record::Team(team)))
    }
}

/// Returns a brand; `None` for one in which nothing is set.
fn brand(row: BrandRow) -> Result<Option<Record>, Corrupt> {
    let id = row.team_id().to_owned();
    let team = named("brands", id.clone(), id.parse().map_err(BoxedError::from))?;
    let brand = row.brand()?;
    Ok((brand != TeamBrand::default()).then_some(Record::Brand(StoredBrand { team, brand })))
}

#[derive(FromRow)]
struct ExportedToken {
    #[sqlx(flatten)]
    token: TokenRow,
    hash: Vec<u8>,
}

impl ExportedToken {
    fn record(self) -> Result<Option<Record>, Corrupt> {
        let token = self.token.token()?;
        let hash = self.hash.try_into().map_err(|_| Corrupt::new("tokens", token.id, "its hash is not of 32 bytes"))?;
        Ok(Some(Record::Token(StoredToken { token, hash: TokenHash::from_bytes(hash) })))
    }
}

fn person(row: CredentialsRow) -> Result<Option<Record>, Corrupt> {
    let Credentials { person, password } = row.credentials()?;
    Ok(Some(Record::Person(StoredPerson { person, password })))
}

fn second_factor(row: SecondFactorRow) -> Result<Option<Record>, Corrupt> {
    let (person, factor) = row.second_factor()?;
    Ok(Some(Record::SecondFactor(StoredSecondFactor { person, factor })))
}

#[derive(FromRow)]
struct ExportedInvitation {
    #[sqlx(flatten)]
    invitation: InvitationRow,
    hash: Vec<u8>,
}

impl ExportedInvitation {
    fn record(self) -> Result<Option<Record>, Corrupt> {
        let invitation = self.invitation.invitation()?;
        let hash = self.hash.try_into();
        let hash = hash.map_err(|_| Corrupt::new("invitations", invitation.id, "its hash is not of 32 bytes"))?;
        Ok(Some(Record::Invitation(StoredInvitation { invitation, hash: SecretHash::from_bytes(hash) })))
    }
}

#[derive(FromRow)]
struct ExportedSite {
    #[sqlx(flatten)]
    site: SiteRow,
    #[sqlx(flatten)]
    manual: ManualRow,
}

impl ExportedSite {
    fn record(self) -> Result<Option<Record>, Corrupt> {
        Ok(Some(Record::Site(StoredSite { site: self.site.site()?, manual: self.manual.checks() })))
    }
}

#[derive(FromRow)]
struct ExportedScan {
    #[sqlx(flatten)]
    scan: ScanRow,
    urgency: Option<String>,
}

impl ExportedScan {
    fn record(self) -> Result<Option<Record>, Corrupt> {
        let scan = self.scan.scan()?;
        let urgency = match self.urgency {
            Some(word) => {
                let urgency = Urgency::from_stored(&word);
                Some(urgency.ok_or_else(|| Corrupt::new("active_scans", scan.id, "its urgency is none"))?)
            }
            None => None,
        };
        Ok(Some(Record::Scan(StoredScan { scan, urgency })))
    }
}

fn findings((scan, team, document): (String, String, Vec<u8>)) -> Result<Option<Record>, Corrupt> {
    let read = || -> Result<Record, BoxedError> {
        let findings = PackedFindings::from_stored(document);
        Ok(Record::Findings(StoredFindings { scan: scan.parse()?, team: team.parse()?, findings }))
    };
    named("findings", scan.clone(), read()).map(Some)
}

#[derive(FromRow)]
struct ExportedPicture {
    team_id: String,
    subject: String,
    #[sqlx(flatten)]
    picture: ScreenshotRow,
}

impl ExportedPicture {
    fn record(self) -> Result<Option<Record>, Corrupt> {
        let id = self.picture.scan_id().to_owned();
        let picture = self.picture.screenshot()?;
        let read = || -> Result<Record, BoxedError> {
            let subject = match self.subject.as_str() {
                "element" => PictureSubject::Element,
                "screen" => PictureSubject::Screen,
                other => return Err(format!("there are no pictures of `{other}`").into()),
            };
            Ok(Record::Picture(StoredPicture { scan: id.parse()?, team: self.team_id.parse()?, subject, picture }))
        };
        named("screenshots", id.clone(), read()).map(Some)
    }
}

#[derive(FromRow)]
struct ExportedDocument {
    scan_id: String,
    team_id: String,
    kind: String,
    locale: String,
    style_hash: Vec<u8>,
    bytes: Vec<u8>,
}

impl ExportedDocument {
    /// Returns the document; `None` for one of a kind that only a later release knows, which no request reads.
    fn record(self) -> Result<Option<Record>, Corrupt> {
        let Self { scan_id, team_id, kind, locale, style_hash, bytes } = self;
        let Some(key) = DocumentKey::from_stored(&kind, &locale) else { return Ok(None) };
        let read = || -> Result<Record, BoxedError> {
            let style = StyleHash(style_hash.try_into().map_err(|_| "a style hash of 16 bytes is missing")?);
            let document = Document { style, bytes };
            Ok(Record::Document(StoredDocument { scan: scan_id.parse()?, team: team_id.parse()?, key, document }))
        };
        named("documents", format!("{scan_id} {kind} {locale}"), read()).map(Some)
    }
}

#[derive(FromRow)]
struct ExportedEndpoint {
    #[sqlx(flatten)]
    endpoint: EndpointRow,
    #[sqlx(flatten)]
    secrets: SecretsRow,
}

impl ExportedEndpoint {
    fn record(self) -> Result<Option<Record>, Corrupt> {
        let endpoint = self.endpoint.endpoint()?;
        let secrets = named("endpoints", endpoint.id.to_string(), self.secrets.secrets())?;
        Ok(Some(Record::Endpoint(StoredEndpoint { endpoint, secrets })))
    }
}

#[derive(FromRow)]
struct ExportedEvent {
    id: String,
    team_id: String,
    kind: String,
    created_at: At,
    body: Vec<u8>,
}

impl ExportedEvent {
    fn record(self) -> Result<Option<Record>, Corrupt> {
        let Self { id, team_id, kind, created_at: At(created_at), body } = self;
        let read = || -> Result<Record, BoxedError> {
            let kind = EventKind::from_stored(&kind)?;
            let event = NewEvent { id: id.parse()?, kind, created_at, body: body.into() };
            Ok(Record::Event(StoredEvent { team: team_id.parse()?, event }))
        };
        named("events", id.clone(), read()).map(Some)
    }
}

#[derive(FromRow)]
struct ExportedAttempt {
    delivery_id: String,
    team_id: String,
    #[sqlx(flatten)]
    attempt: AttemptRow,
}

impl ExportedAttempt {
    fn record(self) -> Result<Option<Record>, Corrupt> {
        let ids = || -> Result<_, BoxedError> { Ok((self.delivery_id.parse()?, self.team_id.parse()?)) };
        let (delivery, team) = named("delivery_attempts", self.delivery_id.clone(), ids())?;
        let attempt = self.attempt.attempt(delivery)?;
        Ok(Some(Record::Attempt(StoredAttempt { delivery, team, attempt })))
    }
}

#[derive(FromRow)]
struct ExportedEntry {
    position: i64,
    kind: String,
    team_id: String,
    site_id: String,
    scan_id: String,
    at: At,
}

impl ExportedEntry {
    fn record(self) -> Result<Option<Record>, Corrupt> {
        let read = || -> Result<Record, BoxedError> {
            let entry = ScanEventEntry {
                position: self.position.unsigned_abs(),
                kind: ScanEventKind::from_stored(&self.kind)?,
                team: self.team_id.parse()?,
                site: self.site_id.parse()?,
                scan: self.scan_id.parse()?,
            };
            Ok(Record::Entry(StoredEntry { entry, at: self.at.0 }))
        };
        named("scan_events", self.position.to_string(), read()).map(Some)
    }
}
