//! Records as lines of a file: JSON, and after it the bytes that some records have.
//!
//! A field that is added, or that changes its form, is a new [format](super::format): no release reads a field that it does
//! not know, since it would lose it.

use std::{collections::BTreeSet, error::Error as StdError};

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use super::{
    PackedFindings, PictureSubject, Record, StoredAttempt, StoredBrand, StoredDocument, StoredEndpoint, StoredEntry,
    StoredEvent, StoredFindings, StoredPicture, StoredScan, StoredSetting, StoredSite, StoredTeam, StoredToken, Totals,
};
use crate::{
    domain::{
        Ability, ApiToken, Attempt, AttemptFailure, AttemptReport, AttemptResult, BrandName, Delivery, DeliveryState,
        DraftHead, EndpointDetails, EndpointSecrets, EndpointStatus, EventKind, Excerpt, ExternalKey, Failure,
        FencingToken, HeadText, Lease, Logo, ManualChecks, NewEvent, Outcome, Plan, PlanCode, PlanStatus, PlatformKey,
        Scan, ScanEventEntry, ScanEventKind, ScanKind, ScanState, ScreenshotId, Site, SiteDetails, SiteUrl, StandardId,
        Standing, Subscription, TeamBrand, TokenHash, Urgency, WebhookEndpoint,
    },
    id::{DeliveryId, EndpointId, EventId, ScanId, SiteId, TeamId, TokenId, WorkerId},
    locale::Locale,
    scanner::{Screenshot, ScreenshotFormat},
    sealing::Sealed,
    store::{Document, DocumentKey, StyleHash},
};

/// The fault of a line.
pub(super) type Fault = Box<dyn StdError + Send + Sync>;

/// A line of a file. Where a line has `bytes`, so many follow it, and a line break.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::large_enum_variant, reason = "lines live for a moment, one at a time")]
pub(super) enum Line {
    Plan(Plan),
    Team(TeamLine),
    Brand(BrandLine),
    Token(TokenLine),
    Setting(SettingLine),
    Site(SiteLine),
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
                $($(#[serde(with = $with)])? $field: $type,)*
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
    }
    SettingLine {
        name: String,
        value: String,
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
enum UrgencyWord {
    Requested,
    Scheduled,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum PictureFormat {
    Png,
    WebP,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum DocumentKind {
    Report,
    FullReport,
    ConformanceReport,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum ScanStateLine {
    Queued,
    Running { lease: LeaseLine, attempt: u32, started_at: DateTime<Utc>, pages_scanned: u32, pages_found: u32 },
    Completed { started_at: DateTime<Utc>, finished_at: DateTime<Utc>, outcome: Outcome },
    Failed { started_at: DateTime<Utc>, finished_at: DateTime<Utc>, pages_scanned: u32, failure: Failure },
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum DeliveryStateLine {
    Blocked { after: DeliveryId },
    Waiting { attempts: u32, token: i64, next_attempt_at: DateTime<Utc> },
    Attempting { attempts: u32, tries: u32, lease: LeaseLine, started_at: DateTime<Utc> },
    Delivered { attempts: u32, finished_at: DateTime<Utc> },
    Failed { finished_at: DateTime<Utc> },
    Dropped { attempts: u32, finished_at: DateTime<Utc> },
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum ResultLine {
    Answered { status: u16, excerpt: String },
    Failed(AttemptFailure),
}

/// Adds a record to `buffer` as it is in a file.
pub(super) fn encode(record: &Record, buffer: &mut Vec<u8>) -> serde_json::Result<()> {
    let (line, bytes) = line(record);
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
            | Self::Site(_)
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

/// Returns a record as a line, with the bytes that follow it.
#[expect(clippy::too_many_lines, reason = "one arm for each kind")]
fn line(record: &Record) -> (Line, Option<&[u8]>) {
    match record {
        Record::Plan(plan) => (Line::Plan(plan.clone()), None),
        Record::Team(team) => {
            let StoredTeam {
                id,
                name,
                external_key,
                plan,
                subscription: Subscription { status, ends_at, trial_ends_at },
                standing,
                seats_used,
                created_at,
                held_until,
            } = team.clone();
            let external_key = external_key.map(|key| key.as_str().to_owned());
            let line = TeamLine {
                id,
                name,
                external_key,
                plan,
                status,
                ends_at,
                trial_ends_at,
                standing,
                seats_used,
                created_at,
                held_until,
            };
            (Line::Team(line), None)
        }
        Record::Brand(StoredBrand { team, brand: TeamBrand { name, colour, logo, draft } }) => {
            let DraftHead { product_version, contact, evaluator } = draft;
            let text = |text: &Option<HeadText>| text.as_ref().map(|text| text.as_str().to_owned());
            let logo = logo.as_ref().map(Logo::bytes);
            let line = BrandLine {
                team: *team,
                name: name.as_ref().map(|name| name.as_str().to_owned()),
                colour: colour.map(|colour| colour.to_string()),
                product_version: text(product_version),
                contact: text(contact),
                evaluator: text(evaluator),
                bytes: logo.map(length),
            };
            (Line::Brand(line), logo)
        }
        Record::Token(StoredToken { token, hash }) => {
            let ApiToken { id, team, name, abilities, created_at } = token.clone();
            (Line::Token(TokenLine { id, team, name, abilities, sha256: *hash.as_bytes(), created_at }), None)
        }
        Record::Setting(StoredSetting { name, value }) => {
            (Line::Setting(SettingLine { name: name.clone(), value: value.clone() }), None)
        }
        Record::Site(StoredSite { site, manual }) => {
            let Site { id, team, details, next_scan_at, created_at } = site.clone();
            let SiteDetails { url, name, report_locale, platform, stack, tags, standard } = details;
            let ManualChecks { last_at, previous_at, given_back_at } = *manual;
            let line = SiteLine {
                id,
                team,
                url: url.as_str().to_owned(),
                name,
                report_locale,
                platform,
                stack,
                tags,
                standard,
                next_scan_at,
                created_at,
                last_manual_at: last_at,
                previous_manual_at: previous_at,
                manual_given_back_at: given_back_at,
            };
            (Line::Site(line), None)
        }
        Record::Scan(StoredScan { scan, urgency }) => {
            let Scan { id, team, site, kind, pages_requested, queued_at, state, express } = scan.clone();
            let urgency = urgency.map(|urgency| match urgency {
                Urgency::Requested => UrgencyWord::Requested,
                Urgency::Scheduled => UrgencyWord::Scheduled,
            });
            let state = scan_state_line(state);
            let line = ScanLine { id, team, site, kind, pages_requested, queued_at, express, urgency, state };
            (Line::Scan(line), None)
        }
        Record::Findings(StoredFindings { scan, team, findings }) => {
            let bytes = findings.as_bytes();
            (Line::Findings(FindingsLine { scan: *scan, team: *team, bytes: length(bytes) }), Some(bytes))
        }
        Record::Picture(StoredPicture { scan, team, subject, picture }) => {
            let line = PictureLine {
                scan: *scan,
                team: *team,
                subject: *subject,
                number: picture.id.0,
                format: match picture.format {
                    ScreenshotFormat::Png => PictureFormat::Png,
                    ScreenshotFormat::WebP => PictureFormat::WebP,
                },
                width: picture.width,
                height: picture.height,
                bytes: length(&picture.bytes),
            };
            (Line::Picture(line), Some(&picture.bytes))
        }
        Record::Document(StoredDocument { scan, team, key, document: Document { style, bytes } }) => {
            let (kind, locale) = match *key {
                DocumentKey::Report(locale) => (DocumentKind::Report, locale),
                DocumentKey::FullReport(locale) => (DocumentKind::FullReport, locale),
                DocumentKey::ConformanceReport(locale) => (DocumentKind::ConformanceReport, locale),
            };
            let line = DocumentLine { scan: *scan, team: *team, kind, locale, style: style.0, bytes: length(bytes) };
            (Line::Document(line), Some(bytes))
        }
        Record::Endpoint(StoredEndpoint { endpoint, secrets }) => {
            let WebhookEndpoint { id, team, details: EndpointDetails { url, events }, status, created_at } =
                endpoint.clone();
            let (failed_in_a_row, off_since) = match status {
                EndpointStatus::On { failed_in_a_row } => (failed_in_a_row, None),
                EndpointStatus::Off { since } => (0, Some(since)),
            };
            let previous = secrets.previous.as_ref();
            let previous_secret =
                previous.map(|(secret, until)| PreviousSecret { secret: secret.to_bytes(), until: *until });
            let line = EndpointLine {
                id,
                team,
                url: url.as_str().to_owned(),
                events,
                secret: secrets.current.to_bytes(),
                previous_secret,
                failed_in_a_row,
                off_since,
                created_at,
            };
            (Line::Endpoint(line), None)
        }
        Record::Event(StoredEvent { team, event: NewEvent { id, kind, created_at, body } }) => {
            let line = EventLine { id: *id, team: *team, kind: *kind, created_at: *created_at, bytes: length(body) };
            (Line::Event(line), Some(body))
        }
        Record::Delivery(delivery) => {
            let Delivery { id, team, endpoint, event, kind, created_at, state } = delivery.clone();
            let state = delivery_state_line(state);
            (Line::Delivery(DeliveryLine { id, team, endpoint, event, kind, created_at, state }), None)
        }
        Record::Attempt(StoredAttempt { delivery, team, attempt }) => {
            let Attempt { number, started_at, ended_at, report: AttemptReport { duration, result } } = attempt.clone();
            let line = AttemptLine {
                delivery: *delivery,
                team: *team,
                number,
                started_at,
                ended_at,
                microseconds: duration.num_microseconds().unwrap_or(i64::MAX),
                result: match result {
                    AttemptResult::Answered { status, excerpt } => {
                        ResultLine::Answered { status, excerpt: excerpt.as_str().to_owned() }
                    }
                    AttemptResult::Failed(failure) => ResultLine::Failed(failure),
                },
            };
            (Line::Attempt(line), None)
        }
        Record::Entry(StoredEntry { entry, at }) => {
            let ScanEventEntry { position, kind, team, site, scan } = *entry;
            (Line::Entry(EntryLine { position, kind, team, site, scan, at: *at }), None)
        }
        Record::NewestPosition(position) => (Line::NewestPosition(*position), None),
    }
}

fn length(bytes: &[u8]) -> u64 {
    // No machine's addresses have more than 64 bits.
    bytes.len() as u64
}

fn lease_line(lease: Lease) -> LeaseLine {
    let Lease { worker, token, expires_at } = lease;
    LeaseLine { worker, token: token.get(), expires_at }
}

fn scan_state_line(state: ScanState) -> ScanStateLine {
    match state {
        ScanState::Queued => ScanStateLine::Queued,
        ScanState::Running { lease, attempt, started_at, pages_scanned, pages_found } => {
            ScanStateLine::Running { lease: lease_line(lease), attempt, started_at, pages_scanned, pages_found }
        }
        ScanState::Completed { started_at, finished_at, outcome } => {
            ScanStateLine::Completed { started_at, finished_at, outcome }
        }
        ScanState::Failed { started_at, finished_at, pages_scanned, failure } => {
            ScanStateLine::Failed { started_at, finished_at, pages_scanned, failure }
        }
    }
}

fn delivery_state_line(state: DeliveryState) -> DeliveryStateLine {
    match state {
        DeliveryState::Blocked { after } => DeliveryStateLine::Blocked { after },
        DeliveryState::Waiting { attempts, token, next_attempt_at } => {
            DeliveryStateLine::Waiting { attempts, token: token.get(), next_attempt_at }
        }
        DeliveryState::Attempting { attempts, tries, lease, started_at } => {
            DeliveryStateLine::Attempting { attempts, tries, lease: lease_line(lease), started_at }
        }
        DeliveryState::Delivered { attempts, finished_at } => DeliveryStateLine::Delivered { attempts, finished_at },
        DeliveryState::Failed { finished_at } => DeliveryStateLine::Failed { finished_at },
        DeliveryState::Dropped { attempts, finished_at } => DeliveryStateLine::Dropped { attempts, finished_at },
    }
}

impl Line {
    /// Returns the record of a line, with the bytes that followed it.
    ///
    /// # Errors
    /// The fault of what no release writes; the last line is no record.
    #[expect(clippy::too_many_lines, reason = "one arm for each kind")]
    pub(super) fn record(self, bytes: Vec<u8>) -> Result<Record, Fault> {
        Ok(match self {
            Self::Plan(plan) => Record::Plan(plan),
            Self::Team(line) => Record::Team(StoredTeam {
                id: line.id,
                name: line.name,
                external_key: line.external_key.map(ExternalKey::new).transpose()?,
                plan: line.plan,
                subscription: Subscription::new(line.status).with_end(line.ends_at).with_trial_end(line.trial_ends_at),
                standing: line.standing,
                seats_used: line.seats_used,
                created_at: line.created_at,
                held_until: line.held_until,
            }),
            Self::Brand(line) => {
                let draft = DraftHead::default()
                    .with_product_version(line.product_version.map(HeadText::from_stored))
                    .with_contact(line.contact.map(HeadText::from_stored))
                    .with_evaluator(line.evaluator.map(HeadText::from_stored));
                let brand = TeamBrand::default()
                    .with_name(line.name.map(BrandName::from_stored))
                    .with_colour(line.colour.map(|colour| colour.parse()).transpose()?)
                    .with_logo(line.bytes.map(|_| Logo::from_stored(bytes)))
                    .with_draft(draft);
                Record::Brand(StoredBrand { team: line.team, brand })
            }
            Self::Token(line) => {
                let TokenLine { id, team, name, abilities, sha256, created_at } = line;
                let token = ApiToken { id, team, name, abilities, created_at };
                Record::Token(StoredToken { token, hash: TokenHash::from_bytes(sha256) })
            }
            Self::Setting(SettingLine { name, value }) => Record::Setting(StoredSetting { name, value }),
            Self::Site(line) => {
                let details = SiteDetails {
                    url: SiteUrl::parse(&line.url)?,
                    name: line.name,
                    report_locale: line.report_locale,
                    platform: line.platform,
                    stack: line.stack,
                    tags: line.tags,
                    standard: line.standard,
                };
                let manual = ManualChecks {
                    last_at: line.last_manual_at,
                    previous_at: line.previous_manual_at,
                    given_back_at: line.manual_given_back_at,
                };
                let (next_scan_at, created_at) = (line.next_scan_at, line.created_at);
                let site = Site { id: line.id, team: line.team, details, next_scan_at, created_at };
                Record::Site(StoredSite { site, manual })
            }
            Self::Scan(line) => {
                let ScanLine { id, team, site, kind, pages_requested, queued_at, express, urgency, state } = line;
                let state = scan_state(state);
                if state.is_active() != urgency.is_some() {
                    return Err("only a check that has not ended has an urgency".into());
                }
                let urgency = urgency.map(|word| match word {
                    UrgencyWord::Requested => Urgency::Requested,
                    UrgencyWord::Scheduled => Urgency::Scheduled,
                });
                let scan = Scan { id, team, site, kind, pages_requested, queued_at, state, express };
                Record::Scan(StoredScan { scan, urgency })
            }
            Self::Findings(FindingsLine { scan, team, bytes: _ }) => {
                Record::Findings(StoredFindings { scan, team, findings: PackedFindings::from_stored(bytes) })
            }
            Self::Picture(line) => {
                let format = match line.format {
                    PictureFormat::Png => ScreenshotFormat::Png,
                    PictureFormat::WebP => ScreenshotFormat::WebP,
                };
                let picture = Screenshot::new(ScreenshotId(line.number), format, line.width, line.height, bytes);
                Record::Picture(StoredPicture { scan: line.scan, team: line.team, subject: line.subject, picture })
            }
            Self::Document(DocumentLine { scan, team, kind, locale, style, bytes: _ }) => {
                let key = match kind {
                    DocumentKind::Report => DocumentKey::Report(locale),
                    DocumentKind::FullReport => DocumentKey::FullReport(locale),
                    DocumentKind::ConformanceReport => DocumentKey::ConformanceReport(locale),
                };
                let document = Document { style: StyleHash(style), bytes };
                Record::Document(StoredDocument { scan, team, key, document })
            }
            Self::Endpoint(line) => {
                let status = match line.off_since {
                    None => EndpointStatus::On { failed_in_a_row: line.failed_in_a_row },
                    Some(since) => EndpointStatus::Off { since },
                };
                let previous = match line.previous_secret {
                    Some(PreviousSecret { secret, until }) => Some((Sealed::from_bytes(&secret)?, until)),
                    None => None,
                };
                let endpoint = WebhookEndpoint {
                    id: line.id,
                    team: line.team,
                    details: EndpointDetails::new(SiteUrl::parse(&line.url)?, line.events),
                    status,
                    created_at: line.created_at,
                };
                let secrets = EndpointSecrets { current: Sealed::from_bytes(&line.secret)?, previous };
                Record::Endpoint(StoredEndpoint { endpoint, secrets })
            }
            Self::Event(EventLine { id, team, kind, created_at, bytes: _ }) => {
                Record::Event(StoredEvent { team, event: NewEvent { id, kind, created_at, body: bytes.into() } })
            }
            Self::Delivery(DeliveryLine { id, team, endpoint, event, kind, created_at, state }) => {
                let state = delivery_state(state);
                Record::Delivery(Delivery { id, team, endpoint, event, kind, created_at, state })
            }
            Self::Attempt(line) => {
                let AttemptLine { delivery, team, number, started_at, ended_at, microseconds, result } = line;
                let result = match result {
                    ResultLine::Answered { status, excerpt } => {
                        AttemptResult::Answered { status, excerpt: Excerpt::of(excerpt.as_bytes()) }
                    }
                    ResultLine::Failed(failure) => AttemptResult::Failed(failure),
                };
                let report = AttemptReport { duration: TimeDelta::microseconds(microseconds), result };
                let attempt = Attempt { number, started_at, ended_at, report };
                Record::Attempt(StoredAttempt { delivery, team, attempt })
            }
            Self::Entry(EntryLine { position, kind, team, site, scan, at }) => {
                Record::Entry(StoredEntry { entry: ScanEventEntry { position, kind, team, site, scan }, at })
            }
            Self::NewestPosition(position) => Record::NewestPosition(position),
            Self::End(_) => return Err("it is the last line".into()),
        })
    }
}

fn lease(line: LeaseLine) -> Lease {
    let LeaseLine { worker, token, expires_at } = line;
    Lease { worker, token: FencingToken::from_stored(token), expires_at }
}

fn scan_state(line: ScanStateLine) -> ScanState {
    match line {
        ScanStateLine::Queued => ScanState::Queued,
        ScanStateLine::Running { lease: held, attempt, started_at, pages_scanned, pages_found } => {
            ScanState::Running { lease: lease(held), attempt, started_at, pages_scanned, pages_found }
        }
        ScanStateLine::Completed { started_at, finished_at, outcome } => {
            ScanState::Completed { started_at, finished_at, outcome }
        }
        ScanStateLine::Failed { started_at, finished_at, pages_scanned, failure } => {
            ScanState::Failed { started_at, finished_at, pages_scanned, failure }
        }
    }
}

fn delivery_state(line: DeliveryStateLine) -> DeliveryState {
    match line {
        DeliveryStateLine::Blocked { after } => DeliveryState::Blocked { after },
        DeliveryStateLine::Waiting { attempts, token, next_attempt_at } => {
            DeliveryState::Waiting { attempts, token: FencingToken::from_stored(token), next_attempt_at }
        }
        DeliveryStateLine::Attempting { attempts, tries, lease: held, started_at } => {
            DeliveryState::Attempting { attempts, tries, lease: lease(held), started_at }
        }
        DeliveryStateLine::Delivered { attempts, finished_at } => DeliveryState::Delivered { attempts, finished_at },
        DeliveryStateLine::Failed { finished_at } => DeliveryState::Failed { finished_at },
        DeliveryStateLine::Dropped { attempts, finished_at } => DeliveryState::Dropped { attempts, finished_at },
    }
}

/// Bytes as hexadecimal digits.
pub(super) mod hex {
    use std::{borrow::Cow, fmt::Write as _};

    use serde::{Deserialize, Deserializer, Serializer, de::Error as _};

    pub(in super::super) fn serialize<S: Serializer>(
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

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>, T: TryFrom<Vec<u8>>>(
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
