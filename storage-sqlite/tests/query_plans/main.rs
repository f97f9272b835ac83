//! No statement of the store reads a table that grows from its beginning to its end. All that it runs in a walk through its
//! steps are collected from sqlx's log, and SQLite is asked how it would run each. A process of its own, since the log is the
//! process's.

#![allow(clippy::unwrap_used, reason = "tests stop at what they did not expect")]

use std::{
    collections::BTreeSet,
    fmt,
    sync::{LazyLock, Mutex},
};

use a11ycheck_core::{
    domain::{
        Ability, AssessmentChanges, AssessmentOutcome, AttemptReport, AttemptResult, AuditAction, CodePeriod, Depth,
        Excerpt, Failure, FailureCode, Finding, JudgedElement, JudgementInput, Lease, Memo, NewAssessment,
        NewAssignment, NewAuditRecord, NewInvitation, NewJudgement, NewPerson, NewSecondFactor, NewSession, NewToken,
        PageCounts, PasswordHash, PersonKind, PlainSecret, PlainToken, PlanCode, RequestClass, Role, RuleId,
        SiteFieldInput, Subject, Subscription, TeamBrand, TotpSecret, TwoSteps, WorkChange, WorkScope, WorkState,
    },
    id::{
        AssignmentId, AuditId, BatchId, InvitationId, JudgementId, PersonId, ScanId, SessionId, SiteFieldId, SiteId,
        TeamId, TokenId, WorkerId,
    },
    locale::Locale,
    paging::PageRequest,
    sealing::Keyring,
    store::{
        AssessmentStore as _, AssignmentFilter, AssignmentStore as _, BatchStore as _, ClaimLimits, Completion,
        DeliveryFilter, Document, DocumentKey, EventLog as _, FileStore as _, Joining, PeopleStore as _,
        QueueStore as _, RateLimitStore as _, ReviewStore as _, ScanStore as _, SealingStore as _,
        SecondFactorStore as _, SiteFieldStore as _, SiteStore as _, StyleHash, TeamStore as _, WebhookStore as _,
    },
};
use a11ycheck_storage_sqlite::SqliteStore;
use chrono::{TimeDelta, Utc};
use sqlx::{AssertSqlSafe, Row as _};
use tracing::{
    Event, Metadata, Subscriber,
    field::{Field, Visit},
    span,
};

#[path = "../file/support/mod.rs"]
#[allow(dead_code, reason = "the other tests' too")]
mod support;

use support::World;

/// The tables whose rows are as many as there are sites, checks or deliveries.
const LARGE: [&str; 25] = [
    "sites",
    "site",
    "scans",
    "s",
    "active_scans",
    "findings",
    "screenshots",
    "documents",
    "deliveries",
    "events",
    "people",
    "u",
    "sessions",
    "memberships",
    "m",
    "invitations",
    "i",
    "audit_records",
    "a",
    "judgements",
    "j",
    "assignments",
    "w",
    "assessments",
    "c",
];

/// The beginning of the one statement that counts all that waits, for operators.
const COUNTS: &str = "SELECT urgency, count(*)";

/// The statements that were run.
static RUN: LazyLock<Mutex<BTreeSet<String>>> = LazyLock::new(Mutex::default);

/// Collects what sqlx logs of statements.
struct Collector;

impl Subscriber for Collector {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "sqlx::query"
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut statement = Statement::default();
        event.record(&mut statement);
        let text = if statement.whole.trim().is_empty() { statement.summary } else { statement.whole };
        RUN.lock().unwrap().insert(text.trim().to_owned());
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

/// A statement that is short is its own summary.
#[derive(Default)]
struct Statement {
    summary: String,
    whole: String,
}

impl Visit for Statement {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "summary" => value.clone_into(&mut self.summary),
            "db.statement" => value.clone_into(&mut self.whole),
            _ => {}
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn fmt::Debug) {}
}

#[tokio::test]
async fn no_statement_reads_a_large_table_as_a_whole() {
    tracing::subscriber::set_global_default(Collector).unwrap();
    let mut world = World::new().await;
    walk(&world).await;
    let statements = RUN.lock().unwrap().clone();
    assert!(statements.len() > 80, "only {} statements were run", statements.len());
    let mut faults = Vec::new();
    for statement in &statements {
        if !["SELECT", "WITH", "INSERT", "UPDATE", "DELETE"].iter().any(|verb| statement.starts_with(verb))
            || statement.contains("migrations")
            || statement.starts_with(COUNTS)
        {
            continue;
        }
        let steps =
            sqlx::query(AssertSqlSafe(format!("EXPLAIN QUERY PLAN {statement}"))).fetch_all(&mut world.db).await;
        for step in steps.unwrap_or_else(|error| panic!("{error}: {statement}")) {
            let step: String = step.get("detail");
            let table = step.strip_prefix("SCAN ").and_then(|rest| rest.split(' ').next()).unwrap_or_default();
            if LARGE.contains(&table) && !step.contains(" USING ") {
                faults.push(format!("{step}: {statement}"));
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

/// Takes each step of the store at least once.
async fn walk(world: &World) {
    let (store, team, keys) = (&world.store, world.team, support::ring().ids());
    let page = PageRequest::new(1, 10);
    let plain = PlainToken::generate();
    let token = NewToken {
        id: TokenId::generate(Utc::now()),
        name: "CI".to_owned(),
        abilities: [Ability::Read].into(),
        hash: plain.hash(),
        created_by: None,
    };
    store.create_token(team, token.clone()).await.unwrap();
    store.admit_token(&plain.hash(), RequestClass::General).await.unwrap().unwrap();
    store.give_back_token(token.id, RequestClass::General, Utc::now()).await.unwrap();
    store.teams(page).await.unwrap();
    store.tokens(team).await.unwrap();
    store.set_brand(team, TeamBrand::default()).await.unwrap();
    store.brand(team).await.unwrap();
    let (_, delivery) = world.delivery().await;
    let site = world.add_site().await.unwrap();
    let new = support::new_site();
    store.add_site_once(team, new.clone(), None).await.unwrap();
    store.add_site_once(team, new, None).await.unwrap();
    store.site_usage(team).await.unwrap();
    store.sites(team, Some("tag"), page).await.unwrap();
    store.failing_sites(team, Some("tag"), page).await.unwrap();
    store.delivery_log(team, &DeliveryFilter::default(), page).await.unwrap();
    store.queue_due_scans(10).await.unwrap();
    for round in 0..3 {
        let claim = world.claim().await.unwrap().claim;
        assert_eq!(store.running_scans(10).await.unwrap().len(), 1);
        store.renew_lease(claim, Lease::TERM, PageCounts::new(1, 2)).await.unwrap();
        let scan = if round == 0 {
            store.fail_scan(claim, Failure::new(FailureCode::BrowserCrashed, "gone")).await.unwrap()
        } else {
            let result = Completion {
                screenshots: vec![support::picture(1, 100)],
                events: vec![support::event(), support::event()],
                memo: Some(Memo { full_at: Utc::now(), barred_until: None, document: vec![0] }),
                ..support::completion()
            };
            store.complete_scan(claim, result).await.unwrap()
        };
        store.scan(team, scan.id).await.unwrap().unwrap();
        store.findings(team, scan.id).await.unwrap();
        store.open_findings(team, scan.id).await.unwrap();
        store.memo(team, site, scan.id).await.unwrap();
        store.screenshot(team, scan.id, support::picture(1, 0).id).await.unwrap();
        store.screen(team, scan.id).await.unwrap();
        let key = DocumentKey::Report(Locale::En);
        store.put_document(team, scan.id, key, Document { style: StyleHash([0; 16]), bytes: vec![1] }).await.unwrap();
        store.document(team, scan.id, key).await.unwrap();
        store.trend(team, scan.id, 5).await.unwrap();
        store.mark_express(team, scan.id).await.unwrap();
        store.start_manual_scan(team, site, ScanId::generate(Utc::now()), Depth::Full).await.unwrap();
    }
    people(store, team).await;
    reviews(store, team, site).await;
    site_fields(store, team, site).await;
    store.queue_depth().await.unwrap();
    store.endpoints_off(10).await.unwrap();
    store.scans(team, site, page).await.unwrap();
    store.latest_completed(team, site).await.unwrap();
    store.latest_problems(team).await.unwrap();
    store.newest_scan_event().await.unwrap();
    store.scan_events(0, 10).await.unwrap();
    store.purge_scan_events(10).await.unwrap();
    let limits = ClaimLimits { all: 1, retries: 1, per_endpoint: 4 };
    let claimed = store.claim_deliveries(&WorkerId::generate(), limits, TimeDelta::zero(), &keys).await.unwrap();
    // As many as a claim looks at are due: each endpoint is asked by itself.
    store.claim_deliveries(&WorkerId::generate(), limits, Lease::TERM, &keys).await.unwrap();
    let result = AttemptResult::Answered { status: 200, excerpt: Excerpt::of(b"ok") };
    let report = AttemptReport { duration: TimeDelta::zero(), result };
    store.record_attempt(claimed[0].claim, report).await.ok();
    let endpoint = store.endpoints(team).await.unwrap()[0].id;
    store.deliveries(team, endpoint, page).await.unwrap();
    store.delivery(team, delivery).await.unwrap();
    store.attempts(team, delivery).await.unwrap();
    store.delivery_depth().await.unwrap();
    store.purge_deliveries(10).await.unwrap();
    store.sealed_by_key().await.unwrap();
    store.disable_endpoint(team, endpoint).await.unwrap();
    store.delete_endpoint(team, endpoint).await.unwrap();
    store.change_plan(team, &PlanCode::PRO, Subscription::ACTIVE).await.unwrap();
    store.purge_held_until(team).await.unwrap();
    store.purge_scans(10).await.unwrap();
    store.delete_site(team, site).await.unwrap();
    store.delete_team(team).await.unwrap();
    store.purge_scans(10).await.unwrap();
}

/// Takes each step about judgements.
async fn reviews(store: &SqliteStore, team: TeamId, site: SiteId) {
    let (now, page) = (Utc::now(), "https://shop.example/");
    let note = || NewAuditRecord {
        id: AuditId::generate(now),
        team: Some(team),
        person: None,
        actor: "admin".to_owned(),
        action: AuditAction::ElementJudged,
        subject: String::new(),
        address: None,
    };
    let finding = Finding::new(RuleId::new("label"), 0, page, "#a", "<input id=a>", "");
    let input = JudgementInput { verdict: "barrier".to_owned(), ..JudgementInput::default() };
    let new = NewJudgement {
        id: JudgementId::generate(now),
        element: JudgedElement::of(&finding, page, 0),
        decision: input.read(Subject::Undecided, now.date_naive()).unwrap(),
        person: None,
        author: "admin".to_owned(),
    };
    let again = new.clone();
    let made = store.put_judgement(team, site, new.clone(), Some(new.id), note()).await.unwrap();
    store.judgements(team, site, PageRequest::new(1, 10)).await.unwrap();
    store.all_judgements(team, site).await.unwrap();
    store.remove_judgement(team, site, made.id, note()).await.unwrap();
    let work = WorkChange { assignee: None, state: WorkState::Done, due: None };
    let (id, scope) = (AssignmentId::generate(now), WorkScope::Element);
    let assignment = NewAssignment { id, element: new.element, scope, work, author: "admin".to_owned() };
    store.put_assignments(team, site, vec![assignment.clone()], note()).await.unwrap();
    store.change_assignment(team, id, work, note()).await.unwrap();
    store.reopen_assignments(team, ScanId::generate(now), now, vec![(id, note())]).await.unwrap();
    store.assignment(team, id).await.unwrap().unwrap();
    let page = PageRequest::new(1, 10);
    store.assignments(team, AssignmentFilter { site: Some(site), ..AssignmentFilter::default() }, page).await.unwrap();
    store.all_assignments(team, site).await.unwrap();
    store.assigned_sites(team).await.unwrap();
    store.unfinished_assignments(team, PersonId::generate(now)).await.unwrap();
    store.remove_assignment(team, id, note()).await.unwrap();
    let batch = BatchId::generate(now);
    store.judge_batch(team, site, batch, vec![(again, None)], note()).await.unwrap();
    store.batch(team, batch).await.unwrap().unwrap();
    store.undo_batch(team, batch, note()).await.unwrap();
    let batch = BatchId::generate(now);
    store.assign_batch(team, site, batch, vec![assignment.clone()], note()).await.unwrap();
    store.undo_batch(team, batch, note()).await.unwrap();
    store.purge_batches(10).await.unwrap();
    let assessment = NewAssessment {
        criterion: "2.1.1".parse().unwrap(),
        outcome: AssessmentOutcome::Supports,
        note: String::new(),
        person: None,
        author: "admin".to_owned(),
    };
    let changes = AssessmentChanges { made: vec![assessment], removed: vec!["1.4.10".parse().unwrap()] };
    store.change_assessments(team, site, &changes, note()).await.unwrap();
    store.assessments(team, site).await.unwrap();
}

/// Takes each step about fields of sites.
async fn site_fields(store: &SqliteStore, team: TeamId, site: SiteId) {
    let now = Utc::now();
    let note = || NewAuditRecord {
        id: AuditId::generate(now),
        team: Some(team),
        person: None,
        actor: "admin".to_owned(),
        action: AuditAction::SiteFieldAdded,
        subject: String::new(),
        address: None,
    };
    let field = SiteFieldInput::choice("Region", ["North"]).field(SiteFieldId::generate(now)).unwrap();
    store.add_site_field(team, field.clone(), note()).await.unwrap();
    for value in [Some("North".to_owned()), None, Some("North".to_owned())] {
        store.set_site_values(team, site, &[(field.id, value)].into()).await.unwrap();
    }
    store.change_site_field(team, field.clone(), note()).await.unwrap();
    store.site_values(team, &[site]).await.unwrap();
    store.all_site_values(team).await.unwrap();
    store.delete_site_field(team, field.id, note()).await.unwrap();
}

/// Takes each step about people.
async fn people(store: &SqliteStore, team: TeamId) {
    let (now, page) = (Utc::now(), PageRequest::new(1, 10));
    let note = |team| NewAuditRecord {
        id: AuditId::generate(now),
        team,
        person: None,
        actor: "admin".to_owned(),
        action: AuditAction::MemberJoined,
        subject: String::new(),
        address: None,
    };
    let new = |email: &str| NewPerson {
        id: PersonId::generate(now),
        email: email.parse().unwrap(),
        name: String::new(),
        locale: Locale::En,
        kind: PersonKind::User,
        password: None,
    };
    let (link, of) = (PlainSecret::generate().hash(), Some(team));
    // With seats for both.
    store.change_plan(team, &PlanCode::AGENCY, Subscription::ACTIVE).await.unwrap();
    store.put_first_link(link, TimeDelta::hours(1)).await.unwrap();
    let jo = store.redeem_first_link(&link, new("jo@example.org"), note(None)).await.unwrap();
    store.create_person(new("max@example.org"), note(None)).await.unwrap();
    store.persons(page).await.unwrap();
    store.credentials(&jo.email).await.unwrap().unwrap();
    let hash = PlainSecret::generate().hash();
    let session = NewSession::new(SessionId::generate(now), jo.id, hash, "", None);
    let session = store.begin_session(session, Some(link), note(None)).await.unwrap().unwrap();
    store.session(&hash).await.unwrap().unwrap();
    store.sessions(jo.id).await.unwrap();
    store.set_password(jo.id, PasswordHash::from_stored("x"), Some(session.id), note(None)).await.unwrap();
    let (secret, code) = (TotpSecret::generate().seal(&Keyring::ephemeral(), jo.id), CodePeriod::from_stored(7));
    let factor = NewSecondFactor { secret, period: code, recovery: vec![link] };
    assert!(store.enable_second_factor(jo.id, factor, Some(session.id), note(None)).await.unwrap());
    store.second_factor(jo.id).await.unwrap().unwrap();
    assert!(store.take_code(jo.id, CodePeriod::from_stored(8)).await.unwrap());
    assert!(store.take_recovery_code(jo.id, link, note(None)).await.unwrap());
    assert!(store.replace_recovery_codes(jo.id, vec![link], note(None)).await.unwrap());
    for two_steps in [TwoSteps::Demanded, TwoSteps::Optional] {
        store.two_steps(team).await.unwrap();
        assert!(store.set_two_steps(team, two_steps, jo.id, note(of)).await.unwrap());
    }
    assert!(store.disable_second_factor(jo.id, note(None)).await.unwrap());
    store.add_member(team, jo.id, Role::Owner, note(of)).await.unwrap();
    store.entry(&hash, team).await.unwrap().unwrap();
    store.members(team).await.unwrap();
    store.memberships(jo.id).await.unwrap();
    store.change_role(team, jo.id, Role::Owner, note(of)).await.unwrap();
    for email in ["max@example.org", "eve@example.org"] {
        let hash = PlainSecret::generate().hash();
        let (id, email) = (InvitationId::generate(now), email.parse().unwrap());
        let invitation = NewInvitation { id, email, role: Role::Owner, invited_by: None, hash, mail: None };
        store.invite(team, invitation, note(of)).await.unwrap();
        store.invitation(&hash).await.unwrap().unwrap();
        if let Some(max) = store.credentials(&"max@example.org".parse().unwrap()).await.unwrap() {
            store.accept_invitation(&hash, Joining::Known(max.person.id), note(of)).await.ok();
        }
    }
    for invitation in store.invitations(team).await.unwrap() {
        store.withdraw_invitation(team, invitation.id, note(of)).await.unwrap();
    }
    store.remove_member(team, jo.id, note(of)).await.unwrap();
    store.append_audit(note(of)).await.unwrap();
    store.audit(of, page).await.unwrap();
    store.audit(None, page).await.unwrap();
    store.end_session(jo.id, session.id, note(None)).await.unwrap();
    store.end_sessions(jo.id, None, note(None)).await.unwrap();
    store.purge_people(10).await.unwrap();
}
