//! A record of each kind, and of each form that it can have, always the same.

use std::collections::BTreeSet;

use a11ycheck_core::{
    domain::{
        Ability, ApiToken, Assessment, AssessmentOutcome, Assignment, Attempt, AttemptFailure, AttemptReport,
        AttemptResult, AuditAction, AuditRecord, CheckFrequency, CodePeriod, Delivery, DeliveryState, Depth,
        DiffSummary, DraftHead, EndpointDetails, EndpointSecrets, EndpointStatus, EventKind, Excerpt, Failure,
        FailureCode, Features, FencingToken, Invitation, IsoDuration, JudgedElement, Judgement, Lease, Limits, Logo,
        ManualChecks, Membership, NewEvent, Notices, Outcome, PasswordHash, Person, PersonKind, Plan, PlanCode,
        PlanStatus, PlatformKey, Reach, Role, RuleId, Scan, ScanEventEntry, ScanEventKind, ScanKind, ScanState,
        ScreenshotId, SecondFactor, SecretHash, Site, SiteDetails, SiteField, SiteFieldKind, SiteUrl, StandardId,
        Standing, Subscription, TeamBrand, TokenHash, Tool, Totals, TwoSteps, Urgency, Verdict, WebhookEndpoint,
        WorkScope, WorkState,
    },
    id::{PersonId, WorkerId},
    locale::Locale,
    scanner::{Screenshot, ScreenshotFormat},
    sealing::Sealed,
    store::{
        Document, DocumentKey, StyleHash,
        transfer::{
            PackedFindings, PictureSubject, Record, StoredAttempt, StoredBrand, StoredDocument, StoredEndpoint,
            StoredEntry, StoredEvent, StoredFindings, StoredInvitation, StoredPerson, StoredPicture, StoredScan,
            StoredSecondFactor, StoredSetting, StoredSite, StoredSiteField, StoredSiteValue, StoredTeam, StoredToken,
        },
    },
};
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};

fn at(micros: i64) -> DateTime<Utc> {
    DateTime::from_timestamp_micros(1_800_000_000_000_000 + micros).unwrap()
}

/// Returns an id with this number.
fn id<I: std::str::FromStr<Err: std::fmt::Debug>>(prefix: &str, number: u32) -> I {
    format!("{prefix}_01J0000000000000{number:010}").parse().unwrap()
}

fn lease() -> Lease {
    let worker: WorkerId = serde_json::from_str("\"node-7-0000002a/1\"").unwrap();
    Lease { worker, token: FencingToken::from_stored(3), expires_at: at(60_000_000) }
}

fn sealed(last: u8) -> Sealed {
    let bytes: Vec<u8> = [1].into_iter().chain([last; 8]).chain(0..24).chain([last; 20]).collect();
    Sealed::from_bytes(&bytes).unwrap()
}

pub(crate) fn setting(name: &str) -> StoredSetting {
    StoredSetting { name: name.to_owned(), value: "v".to_owned() }
}

fn scan(number: u32, state: ScanState, urgency: Option<Urgency>) -> Record {
    let scan = Scan {
        id: id("scan", number),
        team: id("team", 1),
        site: id("site", number),
        kind: if number.is_multiple_of(2) { ScanKind::Manual } else { ScanKind::Scheduled },
        pages_requested: 25,
        queued_at: at(0),
        state,
        express: number == 3,
        // For the scheduled ones as usual, and for one of the manual ones as somebody asked.
        depth: if number == 2 { Depth::Full } else { Depth::Incremental },
    };
    Record::Scan(StoredScan { scan, urgency })
}

fn delivery(number: u32, state: DeliveryState) -> Record {
    Record::Delivery(Delivery {
        id: id("dlv", number),
        team: id("team", 1),
        endpoint: id("whe", 1),
        event: id("evt", 1),
        kind: EventKind::IssuesNew,
        created_at: at(5),
        state,
    })
}

/// Returns whether a record is of a kind that format 1 does not have.
pub(crate) const fn is_about_people(record: &Record) -> bool {
    matches!(
        record,
        Record::Person(_) | Record::SecondFactor(_) | Record::Member(_) | Record::Invitation(_) | Record::Audit(_)
    )
}

/// Returns a record as a file of a format before 7 has it: without what that format brought.
pub(crate) fn before_format_7(record: Record) -> Record {
    match record {
        Record::Scan(StoredScan { scan, urgency }) => {
            Record::Scan(StoredScan { scan: Scan { depth: scan.kind.usual_depth(), ..scan }, urgency })
        }
        other => other,
    }
}

/// Returns a record as a file of a format before 6 has it: without what that format brought.
pub(crate) fn before_format_6(record: Record) -> Record {
    match before_format_7(record) {
        Record::Team(stored) => Record::Team(StoredTeam { two_steps: TwoSteps::Optional, ..stored }),
        other => other,
    }
}

/// Returns a record as a file of a format before 4 has it: without what that format brought.
pub(crate) fn before_format_4(record: Record) -> Record {
    match before_format_6(record) {
        Record::Person(mut stored) => {
            stored.person.notices = Notices::On;
            Record::Person(stored)
        }
        Record::Token(mut stored) => {
            (stored.token.created_by, stored.token.last_used_on) = (None, None);
            Record::Token(stored)
        }
        other => other,
    }
}

/// Returns a second factor with two recovery codes that were not used.
fn second_factor() -> Record {
    let recovery = [[7; 32], [8; 32]].map(SecretHash::from_bytes).into();
    let factor =
        SecondFactor { secret: sealed(6), last_period: CodePeriod::from_stored(60_000_000), recovery, since: at(2) };
    Record::SecondFactor(StoredSecondFactor { person: id("pers", 1), factor })
}

/// Returns records about people.
fn people() -> Vec<Record> {
    let person = |number, kind, password: Option<&str>| {
        let person = Person {
            id: id("pers", number),
            email: format!("{number}@example.org").parse().unwrap(),
            name: "Олена \"O\"".to_owned(),
            locale: Locale::Uk,
            kind,
            created_at: at(1),
            notices: if number == 2 { Notices::Off } else { Notices::On },
        };
        Record::Person(StoredPerson { person, password: password.map(PasswordHash::from_stored) })
    };
    let invitation = |number, invited_by| {
        let (email, role) = ("jo@example.org".parse().unwrap(), Role::Member);
        let invitation =
            Invitation { id: id("inv", number), team: id("team", 1), email, role, invited_by, created_at: at(3) };
        Record::Invitation(StoredInvitation { invitation, hash: SecretHash::from_bytes([7; 32]) })
    };
    let audit = |number, team, person, address: Option<&str>| {
        Record::Audit(AuditRecord {
            id: id("aud", number),
            team,
            person,
            actor: "1@example.org".to_owned(),
            action: AuditAction::RoleChanged,
            subject: "jo@example.org (owner)".to_owned(),
            address: address.map(|address| address.parse().unwrap()),
            at: at(4),
        })
    };
    let later = Role::from_stored("auditor").unwrap();
    vec![
        person(1, PersonKind::Operator, Some("$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA")),
        person(2, PersonKind::User, None),
        second_factor(),
        Record::Member(Membership { team: id("team", 1), person: id("pers", 1), role: Role::Owner, since: at(2) }),
        Record::Member(Membership { team: id("team", 1), person: id("pers", 2), role: later, since: at(3) }),
        invitation(1, None),
        invitation(2, Some(id("pers", 1))),
        audit(1, Some(id("team", 1)), Some(id("pers", 1)), Some("2001:db8::7")),
        audit(2, None, None, None),
    ]
}

/// Returns a judgement with all that it can have, or with nothing of it.
fn judgement(number: u32, verdict: Verdict, until: Option<NaiveDate>) -> Record {
    let keys = match until {
        Some(_) => {
            r#"{"version":3,"tight":"0000000000000001","loose":"0000000000000002","outline":"0000000000000003",
            "content":"0000000000000004","template":"0000000000000005"}"#
        }
        None => r#"{"tight":"0000000000000001","loose":"0000000000000002","template":"0000000000000005"}"#,
    };
    let element = JudgedElement {
        rule: RuleId::new("color-contrast"),
        page: "https://shop.example/блог".to_owned(),
        selector: "#price".to_owned(),
        html: "<b id=\"price\">12 €</b>".to_owned(),
        keys: serde_json::from_str(keys).unwrap(),
        occurrence: number,
        reasons: until.iter().map(|_| "any color-contrast fail ".to_owned()).collect(),
        summary: "0000000000000006".parse().unwrap(),
    };
    Record::Judgement(Judgement {
        id: id("jdg", number),
        team: id("team", 1),
        site: id("site", 1),
        element,
        reach: if until.is_some() { Reach::Element } else { Reach::Template },
        verdict,
        note: "Kommt im Mai;\n\"так\"".to_owned(),
        until,
        person: until.map(|_| id("pers", 1)),
        author: "Олена".to_owned(),
        at: at(9),
    })
}

/// Returns an assignment with all that it can have, or with nothing of it.
fn assignment(number: u32, scope: WorkScope, state: WorkState, due: Option<NaiveDate>) -> Record {
    let Record::Judgement(judgement) = judgement(number, Verdict::Planned, due) else { panic!("it is a judgement") };
    Record::Assignment(Assignment {
        id: id("asg", number),
        team: judgement.team,
        site: judgement.site,
        element: judgement.element,
        scope,
        assignee: due.map(|_| id("pers", 1)),
        state,
        since: at(11),
        due,
        reopened_by: due.map(|_| id("scan", 3)),
        author: judgement.author,
        at: at(10),
    })
}

/// Returns what was said about a criterion.
fn assessment(criterion: &str, outcome: AssessmentOutcome, note: &str, person: Option<PersonId>) -> Record {
    Record::Assessment(Assessment {
        team: id("team", 1),
        site: id("site", 1),
        criterion: criterion.parse().unwrap(),
        outcome,
        note: note.to_owned(),
        person,
        author: "Олена".to_owned(),
        at: at(12),
    })
}

/// Returns a field of the sites of the first team.
fn site_field(number: u32, kind: SiteFieldKind) -> Record {
    let field = SiteField { id: id("fld", number), name: format!("Feld \"{number}\" ж"), kind };
    Record::SiteField(StoredSiteField { team: id("team", 1), field })
}

/// Returns a value of the first site.
fn site_value(number: u32, value: &str) -> Record {
    let (site, field, team) = (id("site", 1), id("fld", number), id("team", 1));
    Record::SiteValue(StoredSiteValue { site, field, team, value: value.to_owned() })
}

/// Returns the records, in the order of a file.
#[expect(clippy::too_many_lines, reason = "one after the other")]
pub(crate) fn all() -> Vec<Record> {
    let team = || id("team", 1);
    let limits = Limits::new(5, 25, CheckFrequency::Weekly).with_manual_check_interval(IsoDuration::hours(1));
    let plan = Plan::new(PlanCode::PRO, "Pro", Features::none().with_api(), limits);
    let bare_team = |number, status| StoredTeam {
        id: id("team", number),
        name: "Майстерня \"A\"".to_owned(),
        external_key: None,
        plan: PlanCode::PRO,
        subscription: Subscription::new(status),
        standing: Standing::Active,
        seats_used: 2,
        created_at: at(1),
        held_until: None,
        two_steps: TwoSteps::Optional,
    };
    let whole_team = StoredTeam {
        external_key: Some("customer 4711".parse().unwrap()),
        subscription: Subscription::new(PlanStatus::Trialing).with_end(at(7)).with_trial_end(at(8)),
        standing: Standing::from_stored("suspended").unwrap(),
        held_until: Some(at(9)),
        two_steps: TwoSteps::Demanded,
        ..bare_team(2, PlanStatus::Active)
    };
    let brand = TeamBrand::default()
        .with_name("Müller & Söhne".parse().ok())
        .with_colour("#0b5394".parse().ok())
        .with_logo(Logo::from_stored(b"a logo\nof two lines".to_vec()))
        .with_draft(
            DraftHead::default()
                .with_product_version("2027.1".parse().ok())
                .with_contact("a@example.org".parse().ok())
                .with_evaluator("Jo".parse().ok()),
        );
    let token = ApiToken {
        id: id("tok", 1),
        team: team(),
        name: "CI".to_owned(),
        abilities: BTreeSet::from([Ability::Read, Ability::Write]),
        created_at: at(2),
        created_by: Some("Jo".to_owned()),
        last_used_on: Some(at(2).date_naive()),
    };
    let site = Site {
        id: id("site", 1),
        team: team(),
        details: SiteDetails {
            url: SiteUrl::parse("https://shop.example/").unwrap(),
            name: Some("Shop".to_owned()),
            report_locale: Locale::Uk,
            platform: Some(PlatformKey::new("vue")),
            stack: vec![PlatformKey::new("vue"), PlatformKey::new("shopify")],
            tags: vec!["client".to_owned()],
            standard: Some(StandardId::Wcag22Aa),
        },
        next_scan_at: at(3),
        created_at: at(2),
    };
    let manual = ManualChecks { last_at: Some(at(1)), previous_at: Some(at(2)), given_back_at: Some(at(3)) };
    let outcome = Outcome::new(2, Totals::default(), DiffSummary::first(), Tool::axe_core("4.11.0", "Chromium 150.0"));
    let picture = |number, format| Screenshot::new(ScreenshotId(number), format, 320, 48, vec![b'p', b'\n', b'c']);
    let (started_at, finished_at) = (at(10), at(20));
    let event = NewEvent { id: id("evt", 1), kind: EventKind::IssuesNew, created_at: at(4), body: "{}".into() };
    let endpoint = |number, status| WebhookEndpoint {
        id: id("whe", number),
        team: team(),
        details: EndpointDetails::everything_to(SiteUrl::parse("https://hooks.example/a").unwrap()),
        status,
        created_at: at(3),
    };
    let attempt = |number, result| {
        let report = AttemptReport { duration: TimeDelta::milliseconds(120), result };
        let attempt = Attempt { number, started_at, ended_at: finished_at, report };
        Record::Attempt(StoredAttempt { delivery: id("dlv", 2), team: team(), attempt })
    };
    let document = |key| {
        let document = Document { style: StyleHash([7; 16]), bytes: b"%PDF".to_vec() };
        Record::Document(StoredDocument { scan: id("scan", 3), team: team(), key, document })
    };
    let entry = ScanEventEntry {
        position: 41,
        kind: ScanEventKind::Completed,
        team: team(),
        site: id("site", 3),
        scan: id("scan", 3),
    };
    let running = ScanState::Running { lease: lease(), attempt: 2, started_at, pages_scanned: 3, pages_found: 11 };
    let failure = Failure::new(FailureCode::Timeout, "The page did not become ready in time.");
    let mut all = vec![
        Record::Plan(plan),
        Record::Team(bare_team(1, PlanStatus::PastDue)),
        Record::Team(whole_team),
        Record::Brand(StoredBrand { team: team(), brand }),
        Record::Brand(StoredBrand { team: id("team", 2), brand: TeamBrand::default().with_name("A".parse().ok()) }),
        Record::Token(StoredToken { token, hash: TokenHash::from_bytes([0xab; 32]) }),
        Record::Setting(setting("base-url")),
        Record::Setting(setting("of-a-later-release")),
        Record::Site(StoredSite { site, manual }),
        site_field(1, SiteFieldKind::Text),
        site_field(2, SiteFieldKind::Choice(vec!["North, \"West\"".to_owned(), "Süd\\Ost".to_owned()])),
        site_value(1, "Олена\n'x'"),
        site_value(2, "Süd\\Ost"),
        judgement(1, Verdict::Planned, "2027-05-31".parse().ok()),
        judgement(2, Verdict::from_stored("deferred").unwrap(), None),
        assignment(1, WorkScope::Rule, WorkState::Open, "2027-05-31".parse().ok()),
        assignment(2, WorkScope::Element, WorkState::from_stored("waiting").unwrap(), None),
        assessment("1.4.10", AssessmentOutcome::DoesNotSupport, "Das Menü;\n\"так\"", Some(id("pers", 1))),
        assessment("1.4.3", AssessmentOutcome::from_stored("with-exceptions").unwrap(), "", None),
        scan(1, ScanState::Queued, Some(Urgency::Requested)),
        scan(2, running, Some(Urgency::Scheduled)),
        scan(3, ScanState::Completed { started_at, finished_at, outcome }, None),
        scan(4, ScanState::Failed { started_at, finished_at, pages_scanned: 1, failure }, None),
        Record::Findings(StoredFindings {
            scan: id("scan", 3),
            team: team(),
            findings: PackedFindings::from_stored(b"packed".to_vec()),
        }),
        Record::Picture(StoredPicture {
            scan: id("scan", 3),
            team: team(),
            subject: PictureSubject::Element,
            picture: picture(7, ScreenshotFormat::Png),
        }),
        Record::Picture(StoredPicture {
            scan: id("scan", 3),
            team: team(),
            subject: PictureSubject::Screen,
            picture: picture(8, ScreenshotFormat::WebP),
        }),
        document(DocumentKey::ConformanceReport(Locale::De)),
        document(DocumentKey::FullReport(Locale::En)),
        document(DocumentKey::Report(Locale::Cs)),
        Record::Endpoint(StoredEndpoint {
            endpoint: endpoint(1, EndpointStatus::On { failed_in_a_row: 4 }),
            secrets: EndpointSecrets::new(sealed(1)).rotated(sealed(2), at(9)),
        }),
        Record::Endpoint(StoredEndpoint {
            endpoint: endpoint(2, EndpointStatus::Off { since: at(6) }),
            secrets: EndpointSecrets::new(sealed(3)),
        }),
        Record::Event(StoredEvent { team: team(), event }),
        delivery(1, DeliveryState::Blocked { after: id("dlv", 2) }),
        delivery(2, DeliveryState::Attempting { attempts: 1, tries: 2, lease: lease(), started_at }),
        delivery(
            3,
            DeliveryState::Waiting { attempts: 1, token: FencingToken::from_stored(5), next_attempt_at: at(30) },
        ),
        delivery(4, DeliveryState::Delivered { attempts: 1, finished_at }),
        delivery(5, DeliveryState::Failed { finished_at }),
        delivery(6, DeliveryState::Dropped { attempts: 0, finished_at }),
        attempt(1, AttemptResult::Answered { status: 503, excerpt: Excerpt::of("Дякую".as_bytes()) }),
        attempt(2, AttemptResult::Failed(AttemptFailure::Timeout)),
        Record::Entry(StoredEntry { entry, at: at(20) }),
        Record::NewestPosition(41),
    ];
    let first_site = all.iter().position(|record| matches!(record, Record::Site(_))).unwrap();
    all.splice(first_site..first_site, people());
    all
}
