//! Lines as records.

use chrono::TimeDelta;

use super::lines::{
    AssessmentLine, AssignmentLine, AttemptLine, AuditLine, DeliveryLine, DeliveryStateLine, DocumentKind,
    DocumentLine, EntryLine, EventLine, Fault, FindingsLine, InvitationLine, JudgementLine, LeaseLine, Line,
    MemberLine, PersonLine, PictureFormat, PreviousSecret, ResultLine, ScanLine, ScanStateLine, SecondFactorLine,
    SettingLine, SiteFieldLine, SiteValueLine, TokenLine, UrgencyWord,
};
use crate::{
    domain::{
        ApiToken, Assessment, Assignment, Attempt, AttemptReport, AttemptResult, AuditRecord, BrandName, CodePeriod,
        Delivery, DeliveryState, DraftHead, EndpointDetails, EndpointSecrets, EndpointStatus, Excerpt, ExternalKey,
        FencingToken, HeadText, Invitation, JudgedElement, Judgement, Lease, Logo, ManualChecks, Membership, NewEvent,
        Notices, PasswordHash, Person, Scan, ScanEventEntry, ScanState, ScreenshotId, SecondFactor, SecretHash, Site,
        SiteDetails, SiteField, SiteFieldKind, SiteUrl, Subscription, TeamBrand, TokenHash, TwoSteps, Urgency,
        WebhookEndpoint,
    },
    scanner::{Screenshot, ScreenshotFormat},
    sealing::Sealed,
    store::{
        Document, DocumentKey, StyleHash,
        transfer::{
            PackedFindings, Record, StoredAttempt, StoredBrand, StoredDocument, StoredEndpoint, StoredEntry,
            StoredEvent, StoredFindings, StoredInvitation, StoredPerson, StoredPicture, StoredScan, StoredSecondFactor,
            StoredSetting, StoredSite, StoredSiteField, StoredSiteValue, StoredTeam, StoredToken,
        },
    },
};

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
                two_steps: TwoSteps::from_flag(line.demands_two_steps.unwrap_or_default()),
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
                let TokenLine { id, team, name, abilities, sha256, created_at, created_by, last_used_on } = line;
                let token = ApiToken { id, team, name, abilities, created_at, created_by, last_used_on };
                Record::Token(StoredToken { token, hash: TokenHash::from_bytes(sha256) })
            }
            Self::Setting(SettingLine { name, value }) => Record::Setting(StoredSetting { name, value }),
            Self::Person(line) => {
                let PersonLine { id, email, name, locale, kind, password, created_at, notices } = line;
                let notices = notices.map_or(Notices::On, Notices::from_flag);
                let person = Person { id, email: email.parse()?, name, locale, kind, created_at, notices };
                Record::Person(StoredPerson { person, password: password.map(PasswordHash::from_stored) })
            }
            Self::SecondFactor(line) => {
                let SecondFactorLine { person, secret, last_period, recovery, since } = line;
                let recovery = SecondFactor::recovery_from_stored(&recovery);
                let factor = SecondFactor {
                    secret: Sealed::from_bytes(&secret)?,
                    last_period: CodePeriod::from_stored(last_period),
                    recovery: recovery.ok_or("the hashes of recovery codes are not whole")?,
                    since,
                };
                Record::SecondFactor(StoredSecondFactor { person, factor })
            }
            Self::Member(MemberLine { team, person, role, since }) => {
                Record::Member(Membership { team, person, role, since })
            }
            Self::Invitation(line) => {
                let InvitationLine { id, team, email, role, invited_by, sha256, created_at } = line;
                let invitation = Invitation { id, team, email: email.parse()?, role, invited_by, created_at };
                Record::Invitation(StoredInvitation { invitation, hash: SecretHash::from_bytes(sha256) })
            }
            Self::Audit(AuditLine { id, team, person, actor, action, subject, address, at }) => {
                Record::Audit(AuditRecord { id, team, person, actor, action, subject, address, at })
            }
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
            Self::Judgement(line) => {
                let JudgementLine { id, team, site, reach, verdict, note, until, person, author, at, .. } = line;
                let JudgementLine { rule, page, selector, html, keys, occurrence, reasons, summary, .. } = line;
                let element = JudgedElement { rule, page, selector, html, keys, occurrence, reasons, summary };
                Record::Judgement(Judgement {
                    id,
                    team,
                    site,
                    element,
                    reach,
                    verdict,
                    note,
                    until,
                    person,
                    author,
                    at,
                })
            }
            Self::SiteField(SiteFieldLine { id, team, name, choices }) => {
                let kind = choices.map_or(SiteFieldKind::Text, SiteFieldKind::Choice);
                Record::SiteField(StoredSiteField { team, field: SiteField { id, name, kind } })
            }
            Self::SiteValue(SiteValueLine { site, field, team, value }) => {
                Record::SiteValue(StoredSiteValue { site, field, team, value })
            }
            Self::Assessment(AssessmentLine { site, criterion, team, outcome, note, person, author, at }) => {
                Record::Assessment(Assessment { team, site, criterion, outcome, note, person, author, at })
            }
            Self::Assignment(line) => {
                let AssignmentLine { id, team, site, scope, assignee, state, since, due, reopened_by, .. } = line;
                let AssignmentLine { rule, page, selector, html, keys, occurrence, reasons, summary, .. } = line;
                let element = JudgedElement { rule, page, selector, html, keys, occurrence, reasons, summary };
                Record::Assignment(Assignment {
                    id,
                    team,
                    site,
                    element,
                    scope,
                    assignee,
                    state,
                    since,
                    due,
                    reopened_by,
                    author: line.author,
                    at: line.at,
                })
            }
            Self::Scan(line) => {
                let ScanLine { id, team, site, kind, pages_requested, queued_at, express, urgency, state, incremental } =
                    line;
                let state = scan_state(state);
                if state.is_active() != urgency.is_some() {
                    return Err("only a check that has not ended has an urgency".into());
                }
                let urgency = urgency.map(|word| match word {
                    UrgencyWord::Requested => Urgency::Requested,
                    UrgencyWord::Scheduled => Urgency::Scheduled,
                });
                let depth = kind.stored_depth(incremental);
                let scan = Scan { id, team, site, kind, pages_requested, queued_at, state, express, depth };
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
