//! Records as lines of a file: JSON, and after it the bytes that some records have.
//!
//! A field that is added, or that changes its form, is a new [format](super::format): no release reads a field that it does
//! not know, since it would lose it.

use std::{collections::BTreeSet, error::Error as StdError, net::IpAddr};

use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};

use super::{PictureSubject, Record, Totals, write};
use crate::{
    domain::{
        Ability, AssessmentOutcome, AttemptFailure, AuditAction, CriterionNumber, EventKind, Failure, Fingerprint, Key,
        Outcome, PersonKind, Plan, PlanCode, PlanStatus, PlatformKey, Reach, Role, RuleId, ScanEventKind, ScanKind,
        StandardId, Standing, Verdict, WorkScope, WorkState,
    },
    id::{
        AssignmentId, AuditId, DeliveryId, EndpointId, EventId, InvitationId, JudgementId, PersonId, ScanId,
        SiteFieldId, SiteId, TeamId, TokenId, WorkerId,
    },
    locale::Locale,
};

/// The fault of a line.
pub(super) type Fault = Box<dyn StdError + Send + Sync>;

/// A line of a file. Where a line has `bytes`, so many follow it, and a line break.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Line {
    Plan(Plan),
    Team(TeamLine),
    Brand(BrandLine),
    Token(TokenLine),
    Setting(SettingLine),
    Person(PersonLine),
    SecondFactor(SecondFactorLine),
    Member(MemberLine),
    Invitation(InvitationLine),
    Audit(AuditLine),
    Site(SiteLine),
    SiteField(SiteFieldLine),
    SiteValue(SiteValueLine),
    Judgement(JudgementLine),
    Assignment(AssignmentLine),
    Assessment(AssessmentLine),
    Scan(ScanLine),
    Findings(FindingsLine),
    Picture(PictureLine),
    Document(DocumentLine),
    Endpoint(EndpointLine),
    Event(EventLine),
    Delivery(DeliveryLine),
    Attempt(AttemptLine),
    Entry(EntryLine),
    NewestPosition(u64),
    /// The last line.
    End(Totals),
}

macro_rules! lines {
    ($($name:ident { $($field:ident: $type:ty $(as $with:literal)?,)* })*) => {
        $(
            #[derive(Serialize, Deserialize)]
            #[serde(deny_unknown_fields)]
            pub(super) struct $name {
                $($(#[serde(with = $with)])? pub(super) $field: $type,)*
            }
        )*
    };
}

lines! {
    TeamLine {
        id: TeamId,
        name: String,
        external_key: Option<String>,
        plan: PlanCode,
        status: PlanStatus,
        ends_at: Option<DateTime<Utc>>,
        trial_ends_at: Option<DateTime<Utc>>,
        standing: Standing,
        seats_used: u32,
        created_at: DateTime<Utc>,
        held_until: Option<DateTime<Utc>>,
        // Not before format 6.
        demands_two_steps: Option<bool>,
    }
    BrandLine {
        team: TeamId,
        name: Option<String>,
        colour: Option<String>,
        product_version: Option<String>,
        contact: Option<String>,
        evaluator: Option<String>,
        // Of the logo.
        bytes: Option<u64>,
    }
    TokenLine {
        id: TokenId,
        team: TeamId,
        name: String,
        abilities: BTreeSet<Ability>,
        sha256: [u8; 32] as "hex",
        created_at: DateTime<Utc>,
        // Not before format 4, as the next.
        created_by: Option<String>,
        last_used_on: Option<NaiveDate>,
    }
    SettingLine {
        name: String,
        value: String,
    }
    PersonLine {
        id: PersonId,
        email: String,
        name: String,
        locale: Locale,
        kind: PersonKind,
        password: Option<String>,
        created_at: DateTime<Utc>,
        // Not before format 4.
        notices: Option<bool>,
    }
    SecondFactorLine {
        person: PersonId,
        secret: Vec<u8> as "hex",
        last_period: u64,
        // The hashes of recovery codes, one after the other.
        recovery: Vec<u8> as "hex",
        since: DateTime<Utc>,
    }
    MemberLine {
        team: TeamId,
        person: PersonId,
        role: Role,
        since: DateTime<Utc>,
    }
    InvitationLine {
        id: InvitationId,
        team: TeamId,
        email: String,
        role: Role,
        invited_by: Option<PersonId>,
        sha256: [u8; 32] as "hex",
        created_at: DateTime<Utc>,
    }
    AuditLine {
        id: AuditId,
        team: Option<TeamId>,
        person: Option<PersonId>,
        actor: String,
        action: AuditAction,
        subject: String,
        address: Option<IpAddr>,
        at: DateTime<Utc>,
    }
    SiteLine {
        id: SiteId,
        team: TeamId,
        url: String,
        name: Option<String>,
        report_locale: Locale,
        platform: Option<PlatformKey>,
        stack: Vec<PlatformKey>,
        tags: Vec<String>,
        standard: Option<StandardId>,
        next_scan_at: DateTime<Utc>,
        created_at: DateTime<Utc>,
        last_manual_at: Option<DateTime<Utc>>,
        previous_manual_at: Option<DateTime<Utc>>,
        manual_given_back_at: Option<DateTime<Utc>>,
    }
    JudgementLine {
        id: JudgementId,
        team: TeamId,
        site: SiteId,
        rule: RuleId,
        page: String,
        selector: String,
        html: String,
        keys: Fingerprint,
        occurrence: u32,
        reasons: Vec<String>,
        summary: Key,
        reach: Reach,
        verdict: Verdict,
        note: String,
        until: Option<NaiveDate>,
        person: Option<PersonId>,
        author: String,
        at: DateTime<Utc>,
    }
    // Not before format 6.
    SiteFieldLine {
        id: SiteFieldId,
        team: TeamId,
        name: String,
        choices: Option<Vec<String>>,
    }
    // Not before format 6.
    SiteValueLine {
        site: SiteId,
        field: SiteFieldId,
        team: TeamId,
        value: String,
    }
    // Not before format 5.
    AssignmentLine {
        id: AssignmentId,
        team: TeamId,
        site: SiteId,
        rule: RuleId,
        page: String,
        selector: String,
        html: String,
        keys: Fingerprint,
        occurrence: u32,
        reasons: Vec<String>,
        summary: Key,
        scope: WorkScope,
        assignee: Option<PersonId>,
        state: WorkState,
        since: DateTime<Utc>,
        due: Option<NaiveDate>,
        reopened_by: Option<ScanId>,
        author: String,
        at: DateTime<Utc>,
    }
    // Not before format 7.
    AssessmentLine {
        site: SiteId,
        criterion: CriterionNumber,
        team: TeamId,
        outcome: AssessmentOutcome,
        note: String,
        person: Option<PersonId>,
        author: String,
        at: DateTime<Utc>,
    }
    ScanLine {
        id: ScanId,
        team: TeamId,
        site: SiteId,
        kind: ScanKind,
        pages_requested: u32,
        queued_at: DateTime<Utc>,
        express: bool,
        urgency: Option<UrgencyWord>,
        state: ScanStateLine,
        // Not before format 7.
        incremental: Option<bool>,
    }
    LeaseLine {
        worker: WorkerId,
        token: i64,
        expires_at: DateTime<Utc>,
    }
    FindingsLine {
        scan: ScanId,
        team: TeamId,
        bytes: u64,
    }
    PictureLine {
        scan: ScanId,
        team: TeamId,
        subject: PictureSubject,
        number: u32,
        format: PictureFormat,
        width: u32,
        height: u32,
        bytes: u64,
    }
    DocumentLine {
        scan: ScanId,
        team: TeamId,
        kind: DocumentKind,
        locale: Locale,
        style: [u8; 16] as "hex",
        bytes: u64,
    }
    EndpointLine {
        id: EndpointId,
        team: TeamId,
        url: String,
        events: BTreeSet<EventKind>,
        secret: Vec<u8> as "hex",
        previous_secret: Option<PreviousSecret>,
        failed_in_a_row: u32,
        off_since: Option<DateTime<Utc>>,
        created_at: DateTime<Utc>,
    }
    PreviousSecret {
        secret: Vec<u8> as "hex",
        until: DateTime<Utc>,
    }
    EventLine {
        id: EventId,
        team: TeamId,
        kind: EventKind,
        created_at: DateTime<Utc>,
        bytes: u64,
    }
    DeliveryLine {
        id: DeliveryId,
        team: TeamId,
        endpoint: EndpointId,
        event: EventId,
        kind: EventKind,
        created_at: DateTime<Utc>,
        state: DeliveryStateLine,
    }
    AttemptLine {
        delivery: DeliveryId,
        team: TeamId,
        number: u32,
        started_at: DateTime<Utc>,
        ended_at: DateTime<Utc>,
        microseconds: i64,
        result: ResultLine,
    }
    EntryLine {
        position: u64,
        kind: ScanEventKind,
        team: TeamId,
        site: SiteId,
        scan: ScanId,
        at: DateTime<Utc>,
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum UrgencyWord {
    Requested,
    Scheduled,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum PictureFormat {
    Png,
    WebP,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum DocumentKind {
    Report,
    FullReport,
    ConformanceReport,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum ScanStateLine {
    Queued,
    Running { lease: LeaseLine, attempt: u32, started_at: DateTime<Utc>, pages_scanned: u32, pages_found: u32 },
    Completed { started_at: DateTime<Utc>, finished_at: DateTime<Utc>, outcome: Outcome },
    Failed { started_at: DateTime<Utc>, finished_at: DateTime<Utc>, pages_scanned: u32, failure: Failure },
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum DeliveryStateLine {
    Blocked { after: DeliveryId },
    Waiting { attempts: u32, token: i64, next_attempt_at: DateTime<Utc> },
    Attempting { attempts: u32, tries: u32, lease: LeaseLine, started_at: DateTime<Utc> },
    Delivered { attempts: u32, finished_at: DateTime<Utc> },
    Failed { finished_at: DateTime<Utc> },
    Dropped { attempts: u32, finished_at: DateTime<Utc> },
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum ResultLine {
    Answered { status: u16, excerpt: String },
    Failed(AttemptFailure),
}

/// Adds a record to `buffer` as it is in a file.
pub(super) fn encode(record: &Record, buffer: &mut Vec<u8>) -> serde_json::Result<()> {
    let (line, bytes) = write::line(record);
    serde_json::to_writer(&mut *buffer, &line)?;
    buffer.push(b'\n');
    if let Some(bytes) = bytes {
        buffer.extend_from_slice(bytes);
        buffer.push(b'\n');
    }
    Ok(())
}

impl Line {
    /// Returns how many bytes follow the line; `None` if none do, not even a line break.
    pub(super) const fn bytes(&self) -> Option<u64> {
        match self {
            Self::Brand(BrandLine { bytes, .. }) => *bytes,
            Self::Findings(FindingsLine { bytes, .. })
            | Self::Picture(PictureLine { bytes, .. })
            | Self::Document(DocumentLine { bytes, .. })
            | Self::Event(EventLine { bytes, .. }) => Some(*bytes),
            Self::Plan(_)
            | Self::Team(_)
            | Self::Token(_)
            | Self::Setting(_)
            | Self::Person(_)
            | Self::SecondFactor(_)
            | Self::Member(_)
            | Self::Invitation(_)
            | Self::Audit(_)
            | Self::Site(_)
            | Self::SiteField(_)
            | Self::SiteValue(_)
            | Self::Judgement(_)
            | Self::Assignment(_)
            | Self::Assessment(_)
            | Self::Scan(_)
            | Self::Endpoint(_)
            | Self::Delivery(_)
            | Self::Attempt(_)
            | Self::Entry(_)
            | Self::NewestPosition(_)
            | Self::End(_) => None,
        }
    }
}

/// Bytes as hexadecimal digits.
pub(super) mod hex {
    use std::{borrow::Cow, fmt::Write as _};

    use serde::{Deserialize, Deserializer, Serializer, de::Error as _};

    pub(in crate::store::transfer) fn serialize<S: Serializer>(
        bytes: &impl AsRef<[u8]>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let mut text = String::new();
        for byte in bytes.as_ref() {
            // Writing to a `String` can't fail.
            let _ = write!(text, "{byte:02x}");
        }
        serializer.serialize_str(&text)
    }

    pub(in crate::store::transfer) fn deserialize<'de, D: Deserializer<'de>, T: TryFrom<Vec<u8>>>(
        deserializer: D,
    ) -> Result<T, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        let digit = |digit: u8| char::from(digit).to_digit(16);
        let byte = |pair: &[u8]| match pair {
            [high, low] => u8::try_from(digit(*high)? * 16 + digit(*low)?).ok(),
            _ => None,
        };
        let bytes: Option<Vec<u8>> = text.as_bytes().chunks(2).map(byte).collect();
        let bytes = bytes.ok_or_else(|| D::Error::custom("not pairs of hexadecimal digits"))?;
        bytes.try_into().map_err(|_| D::Error::custom("not the right number of bytes"))
    }
}
