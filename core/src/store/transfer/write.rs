//! Records as lines.

use super::lines::{
    AssessmentLine, AssignmentLine, AttemptLine, AuditLine, BrandLine, DeliveryLine, DeliveryStateLine, DocumentKind,
    DocumentLine, EndpointLine, EntryLine, EventLine, FindingsLine, InvitationLine, JudgementLine, LeaseLine, Line,
    MemberLine, PersonLine, PictureFormat, PictureLine, PreviousSecret, ResultLine, ScanLine, ScanStateLine,
    SecondFactorLine, SettingLine, SiteFieldLine, SiteLine, SiteValueLine, TeamLine, TokenLine, UrgencyWord,
};
use crate::{
    domain::{
        ApiToken, Assessment, Assignment, Attempt, AttemptReport, AttemptResult, AuditRecord, Delivery, DeliveryState,
        DraftHead, EndpointDetails, EndpointStatus, HeadText, Invitation, JudgedElement, Judgement, Lease, Logo,
        ManualChecks, Membership, NewEvent, Person, Scan, ScanEventEntry, ScanState, SecondFactor, Site, SiteDetails,
        SiteField, SiteFieldKind, Subscription, TeamBrand, Urgency, WebhookEndpoint,
    },
    scanner::ScreenshotFormat,
    store::{
        Document, DocumentKey,
        transfer::{
            Record, StoredAttempt, StoredBrand, StoredDocument, StoredEndpoint, StoredEntry, StoredEvent,
            StoredFindings, StoredInvitation, StoredPerson, StoredPicture, StoredScan, StoredSecondFactor,
            StoredSetting, StoredSite, StoredSiteField, StoredSiteValue, StoredTeam, StoredToken,
        },
    },
};

/// Returns a record as a line, with the bytes that follow it.
#[expect(clippy::too_many_lines, reason = "one arm for each kind")]
pub(super) fn line(record: &Record) -> (Line, Option<&[u8]>) {
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
                two_steps,
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
                demands_two_steps: Some(two_steps.are_demanded()),
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
            let ApiToken { id, team, name, abilities, created_at, created_by, last_used_on } = token.clone();
            let sha256 = *hash.as_bytes();
            let line = TokenLine { id, team, name, abilities, sha256, created_at, created_by, last_used_on };
            (Line::Token(line), None)
        }
        Record::Person(StoredPerson { person, password }) => {
            let Person { id, email, name, locale, kind, created_at, notices } = person.clone();
            let notices = Some(notices.are_on());
            let (email, password) = (email.as_str().to_owned(), password.as_ref().map(|hash| hash.as_str().to_owned()));
            (Line::Person(PersonLine { id, email, name, locale, kind, password, created_at, notices }), None)
        }
        Record::SecondFactor(StoredSecondFactor { person, factor }) => {
            let SecondFactor { secret, last_period, recovery, since } = factor;
            let line = SecondFactorLine {
                person: *person,
                secret: secret.to_bytes(),
                last_period: last_period.number(),
                recovery: SecondFactor::stored_recovery(recovery),
                since: *since,
            };
            (Line::SecondFactor(line), None)
        }
        Record::Member(Membership { team, person, role, since }) => {
            (Line::Member(MemberLine { team: *team, person: *person, role: *role, since: *since }), None)
        }
        Record::Invitation(StoredInvitation { invitation, hash }) => {
            let Invitation { id, team, email, role, invited_by, created_at } = invitation.clone();
            let (email, sha256) = (email.as_str().to_owned(), *hash.as_bytes());
            (Line::Invitation(InvitationLine { id, team, email, role, invited_by, sha256, created_at }), None)
        }
        Record::Audit(record) => {
            let AuditRecord { id, team, person, actor, action, subject, address, at } = record.clone();
            (Line::Audit(AuditLine { id, team, person, actor, action, subject, address, at }), None)
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
        Record::Judgement(judgement) => {
            let Judgement { id, team, site, element, reach, verdict, note, until, person, author, at } =
                judgement.clone();
            let JudgedElement { rule, page, selector, html, keys, occurrence, reasons, summary } = element;
            let line = JudgementLine {
                id,
                team,
                site,
                rule,
                page,
                selector,
                html,
                keys,
                occurrence,
                reasons,
                summary,
                reach,
                verdict,
                note,
                until,
                person,
                author,
                at,
            };
            (Line::Judgement(line), None)
        }
        Record::SiteField(StoredSiteField { team, field }) => {
            let SiteField { id, name, kind } = field.clone();
            let choices = match kind {
                SiteFieldKind::Text => None,
                SiteFieldKind::Choice(choices) => Some(choices),
            };
            (Line::SiteField(SiteFieldLine { id, team: *team, name, choices }), None)
        }
        Record::SiteValue(StoredSiteValue { site, field, team, value }) => {
            let line = SiteValueLine { site: *site, field: *field, team: *team, value: value.clone() };
            (Line::SiteValue(line), None)
        }
        Record::Assignment(assignment) => {
            let Assignment { id, team, site, element, scope, assignee, state, since, due, reopened_by, author, at } =
                assignment.clone();
            let JudgedElement { rule, page, selector, html, keys, occurrence, reasons, summary } = element;
            let line = AssignmentLine {
                id,
                team,
                site,
                rule,
                page,
                selector,
                html,
                keys,
                occurrence,
                reasons,
                summary,
                scope,
                assignee,
                state,
                since,
                due,
                reopened_by,
                author,
                at,
            };
            (Line::Assignment(line), None)
        }
        Record::Assessment(assessment) => {
            let Assessment { team, site, criterion, outcome, note, person, author, at } = assessment.clone();
            (Line::Assessment(AssessmentLine { site, criterion, team, outcome, note, person, author, at }), None)
        }
        Record::Scan(StoredScan { scan, urgency }) => {
            let Scan { id, team, site, kind, pages_requested, queued_at, state, express, depth } = scan.clone();
            let urgency = urgency.map(|urgency| match urgency {
                Urgency::Requested => UrgencyWord::Requested,
                Urgency::Scheduled => UrgencyWord::Scheduled,
            });
            let state = scan_state_line(state);
            let incremental = Some(depth.is_incremental());
            let line =
                ScanLine { id, team, site, kind, pages_requested, queued_at, express, urgency, state, incremental };
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
