//! A store in which there is something of everything.

use std::{fmt::Debug, sync::Arc};

use a11ycheck_core::{
    clock::ManualClock,
    domain::{
        AssessmentChanges, AssessmentOutcome, AuditAction, CodePeriod, Depth, Failure, FailureCode, Lease, NewSite,
        PageCounts, PersonKind, PlainSecret, Plan, PlanCode, PlanStatus, Reach, RetryBy, Role, ScreenshotId,
        SharedSetting, SiteDetails, SiteUrl, Standing, Subscription, TeamBrand, TokenHash, TwoSteps, Verdict,
        WorkChange, WorkState,
    },
    id::{NodeId, ScanId, SiteId, TeamId, WorkerId},
    locale::Locale,
    paging::PageRequest,
    sealing::Keyring,
    store::{
        Claim, Completion, DeliveryClaim, Document, DocumentKey, Joining, PeopleStore, ReadEventsError, ReviewStore,
        SiteFieldStore, Store, StyleHash,
    },
};
use chrono::TimeDelta;
use serde_json::json;

use crate::{
    StoreFactory,
    suite::{
        fixtures,
        outbox::steps::{BOTH, answered, timed_out},
        people::steps::{entry, new_person},
        reviews::{assessments::new_assessment, steps::new_judgement},
        world::World,
    },
};

/// The key under which a host program knows the team that has most.
const KEY: &str = "customer 4711 / Крамниця";

/// A store in which there is something of everything that stores keep, in every state: what a move must not lose.
///
/// Every column of a table should have a value in some row of it, so that a test can compare two stores' tables and be sure
/// of each column. What a new field needs goes here.
#[derive(Debug)]
pub struct FilledStore<S> {
    /// The store.
    pub store: Arc<S>,
    /// The clock that it uses.
    pub clock: ManualClock,
    /// The keyring that seals the secrets in it.
    pub ring: Keyring,
    pub(super) owner: TeamId,
    pub(super) token: TokenHash,
    /// A check that is running.
    pub(super) running: Claim,
    /// An attempt that is under way, the first of a delivery for which another one waits.
    pub(super) attempting: DeliveryClaim,
}

impl<S: Store + ReviewStore + SiteFieldStore> FilledStore<S> {
    /// Fills an empty store. It takes some months of its clock.
    #[expect(clippy::too_many_lines, reason = "one life of a store, read from above")]
    pub async fn new(factory: &impl StoreFactory<Store = S>) -> Self {
        let world = World::empty(factory).await;
        let store = &world.store;
        let roomy = fixtures::coded(PlanCode::new("roomy"), fixtures::roomy());
        let short = fixtures::other_plan("short", |limits| limits.history_months = 1);
        store.put_plans(&[roomy.clone(), fixtures::plan(), short.clone(), later_plan()]).await.unwrap();
        for setting in SharedSetting::ALL {
            store.replace_setting(setting, &format!("value of {setting} ☂")).await.unwrap();
        }

        // Teams in every standing.
        let owner = fixtures::new_team(&roomy.code, world.now());
        let owner = store.team_for(&KEY.parse().unwrap(), owner).await.unwrap().id;
        store.set_brand(owner, fixtures::brand(5_000)).await.unwrap();
        let (used, token) = world.token(owner).await;
        store.note_token_use(used, world.now().date_naive()).await.unwrap();
        world.token(owner).await;
        let (blocked, _) = world.team_and_site().await;
        store.set_standing(blocked, Standing::Blocked).await.unwrap();
        store.set_brand(blocked, TeamBrand::default()).await.unwrap();
        let [end, trial_end] = [400, 14].map(|days| world.now() + TimeDelta::days(days));
        let trying = Subscription::new(PlanStatus::Trialing).with_end(end).with_trial_end(trial_end);
        world.token(world.team_with(trying).await).await;
        world.team_on(&later_plan().code).await;
        let (deleted, site) = world.team_and_site().await;
        world.completed(deleted, site).await;
        store.delete_team(deleted).await.unwrap();

        // People in every role, without a password too, and what they have done.
        store.put_first_link(PlainSecret::generate().hash(), TimeDelta::hours(1)).await.unwrap();
        let mut operator = new_person("operator@example.org", world.now());
        (operator.kind, operator.password) = (PersonKind::Operator, None);
        let operator = store.create_person(operator, world.note(None)).await.unwrap().id;
        world.session(operator).await;
        let factor = world.second_factor(operator).await;
        let is_taken = store.take_recovery_code(operator, factor.recovery[2], world.note(None)).await.unwrap();
        assert!(is_taken && store.take_code(operator, CodePeriod::from_stored(60_000_007)).await.unwrap());
        assert!(store.set_two_steps(owner, TwoSteps::Demanded, operator, world.note(Some(owner))).await.unwrap());
        let (_, invitation) = world.invited(owner, "owner@example.org", Role::Owner).await;
        let joining = Joining::New(new_person("owner@example.org", world.now()));
        store.accept_invitation(&invitation, joining, world.note(None)).await.unwrap();
        world.joined(owner, "member@example.org", Role::Member).await;
        world.joined(blocked, "viewer@example.org", Role::Viewer).await;
        world.invited(owner, "invited@example.org", Role::Viewer).await;
        let by_member = a11ycheck_core::domain::NewInvitation {
            invited_by: Some(operator),
            ..crate::suite::people::steps::new_invitation("other@example.org", Role::Member, world.now())
        };
        store.invite(owner, by_member, entry(Some(owner), AuditAction::MemberInvited, world.now())).await.unwrap();

        // Deliveries that have ended, in every way.
        let [listens, fails, is_off] = [
            world.endpoint(owner, BOTH).await,
            world.endpoint(owner, BOTH).await,
            world.endpoint(owner, &BOTH[..1]).await,
        ];
        world.ping(owner, listens).await;
        world.attempt_all(&answered(204)).await;
        world.fail(owner, fails, 2).await;
        world.ping(owner, is_off).await;
        store.disable_endpoint(owner, is_off).await.unwrap();
        store.rotate_secret(owner, listens, world.secret(listens), TimeDelta::days(90)).await.unwrap();

        // Checks that have ended, in every way.
        let shop = world.site_at(owner, "https://shop.example/").await.id;
        let blog = world.add_site(owner, bare_site("https://müller.example/блог", &world)).await.id;
        let first = world.completed(owner, shop).await;
        for (number, locale) in (0..).zip([Locale::De, Locale::Uk]) {
            let document = |kind: u8| {
                let bytes: Vec<u8> = (0..=255).cycle().skip(kind.into()).take(3_000).collect();
                Document { style: StyleHash([kind + number; 16]), bytes }
            };
            for (kind, key) in (0..).zip(all_keys(locale)) {
                assert!(store.put_document(owner, first, key, document(kind)).await.unwrap());
            }
        }
        store.mark_express(owner, first).await.unwrap();
        world.advance(TimeDelta::days(20));
        world.completed(owner, shop).await;
        world.failed(owner, blog).await;
        world.running(owner, blog).await;
        for _ in 0..3 {
            world.advance(Lease::TERM);
            world.try_claim().await;
        }
        world.completed(owner, blog).await;
        let claim = world.running(owner, blog).await;
        let failure = Failure::new(FailureCode::BrowserCrashed, "The browser crashed.");
        store.fail_scan(claim, failure).await.unwrap();
        world.advance(TimeDelta::hours(2));
        for _ in 0..2 {
            world.completed(owner, blog).await;
            world.advance(TimeDelta::hours(2));
        }
        store.start_manual_scan(owner, blog, ScanId::generate(world.now()), Depth::Incremental).await.unwrap();
        store.complete_scan(world.claim().await, world.completion()).await.unwrap();
        world.advance(TimeDelta::hours(2));
        let gone = world.site_at(owner, "https://gone.example/").await.id;
        world.completed(owner, gone).await;
        store.delete_site(owner, gone).await.unwrap();

        // Fields of sites of both kinds, and their values.
        let region = world.choice_field(owner, "Region", &["North, West", "South; \"East\""]).await;
        let cost_centre = world.text_field(owner, "Kostenstelle №").await;
        world.set_value(owner, shop, &region, Some("North, West")).await;
        world.set_value(owner, shop, &cost_centre, Some("Олена 'x'\n☂")).await;
        world.set_value(owner, blog, &cost_centre, Some("17")).await;

        // Judgements, with all that they can have and with nothing of it.
        world.judged(owner, shop, "#a").await;
        let mut bare = new_judgement("#b", world.now());
        (bare.person, bare.decision.until) = (None, None);
        bare.decision.verdict = Verdict::from_stored("deferred").unwrap();
        bare.decision.reach = Reach::Template;
        store.put_judgement(owner, blog, bare, None, world.note(Some(owner))).await.unwrap();

        // Assignments, with all that they can have and with nothing of it.
        let person = store.members(owner).await.unwrap()[0].person.id;
        let day = Some(world.now().date_naive());
        let whole = WorkChange { assignee: Some(person), state: WorkState::Done, due: day };
        let whole = world.assigned(owner, shop, "#a", whole).await;
        let again = vec![(whole.id, world.note(Some(owner)))];
        store.reopen_assignments(owner, first, world.now(), again).await.unwrap();
        world.assigned(owner, blog, "#b", WorkChange { assignee: None, state: WorkState::Open, due: None }).await;

        // Assessments, with all that they can have and with nothing of it.
        let mut bare = new_assessment("1.4.3", world.now());
        (bare.person, bare.note) = (None, String::new());
        bare.outcome = AssessmentOutcome::from_stored("with-exceptions").unwrap();
        let made = vec![new_assessment("1.4.10", world.now()), bare];
        world.assess(owner, shop, &AssessmentChanges { made, removed: Vec::new() }).await;

        // A team whose history will become shorter.
        let (held, site) = world.team_and_site().await;
        world.completed(held, site).await;
        world.advance(TimeDelta::days(40));
        world.completed(held, site).await;

        // A log whose beginning was purged.
        store.purge_scan_events(4).await.unwrap();

        // Checks that wait and run, in every way: of sites that are checked each week, and of a new one.
        for number in 0..4 {
            world.site_at(owner, &format!("https://{number}.example/")).await;
        }
        world.advance(TimeDelta::days(15));
        let queued = store.queue_due_scans(1_000).await.unwrap().queued.len();
        let mut claimed = Vec::new();
        for _ in 1..queued {
            claimed.extend(world.try_claim().await);
        }
        let mut of_owner = claimed.iter().filter(|claimed| claimed.scan.team == owner).map(|claimed| claimed.claim);
        let mut next = || of_owner.next().expect("the team has six such sites");
        let [completed, running, retried, handed_back] = [next(), next(), next(), next()];
        store.renew_lease(running, Lease::TERM, PageCounts::new(3, 11)).await.unwrap();
        store.retry_scan(retried, TimeDelta::minutes(5), RetryBy::OtherNodesFirst).await.unwrap();
        store.hand_back(handed_back).await.unwrap();
        let last = fixtures::new_site("https://last.example/", world.now());
        store.add_site(owner, last, Some(ScanId::generate(world.now()))).await.unwrap();
        store.change_plan(held, &short.code, Subscription::ACTIVE).await.unwrap();

        // Deliveries that wait, in every way.
        let completion =
            Completion { events: BOTH.iter().map(|kind| world.event(*kind)).collect(), ..world.completion() };
        store.disable_endpoint(owner, fails).await.unwrap();
        store.complete_scan(completed, completion).await.unwrap();
        let attempting = world.claim_delivery().await.claim;
        let due = world.ping(owner, listens).await;
        let again = world.ping(owner, listens).await;
        for claimed in world.claim_deliveries().await {
            let report = if claimed.claim.delivery == due.id { timed_out() } else { answered(503) };
            world.record(claimed.claim, report).await;
        }
        world.ping(owner, listens).await;
        assert_ne!(due.id, again.id);

        let World { store, clock, ring } = world;
        Self { store, clock, ring, owner, token, running, attempting }
    }

    /// Returns what a store answers to every question that changes nothing, in words: two stores with the same content give
    /// the same answers.
    pub async fn answers(&self, store: &(impl Store + ReviewStore + SiteFieldStore)) -> Vec<String> {
        let mut answers = Answers::default();
        answers.add("plans", store.plans().await);
        answers.add("settings", store.settings().await);
        let unused = fixtures::new_team(&PlanCode::new("roomy"), self.clock_now());
        answers.add("team_for", store.team_for(&KEY.parse().unwrap(), unused).await);
        let teams = store.teams(PageRequest::new(1, 100)).await.unwrap();
        answers.add("teams", &teams);
        for team in &teams.items {
            team_answers(store, team.id, &mut answers).await;
        }
        people_answers(store, &mut answers).await;
        answers.add("queue_depth", store.queue_depth().await);
        answers.add("delivery_depth", store.delivery_depth().await);
        answers.add("newest_scan_event", store.newest_scan_event().await);
        let purged = match store.scan_events(0, 1).await {
            Err(ReadEventsError::Lagged(purged)) => purged,
            read => panic!("the beginning of the log was purged: {read:?}"),
        };
        answers.add("scan_events", (purged, store.scan_events(purged, 1_000).await));
        answers.add("sealed_by_key", store.sealed_by_key().await);
        let other = Keyring::ephemeral().ids()[0];
        let sealed = store.sealed_otherwise(other, 1_000).await.unwrap();
        let mut sealed: Vec<String> =
            sealed.iter().map(|value| format!("{:?} {:?}", value.context, value.sealed.to_bytes())).collect();
        sealed.sort_unstable();
        answers.add("sealed_otherwise", sealed);
        answers.add("unsealed", store.unsealed(1_000).await);
        answers.0
    }

    fn clock_now(&self) -> chrono::DateTime<chrono::Utc> {
        a11ycheck_core::clock::Clock::now(&self.clock)
    }
}

/// Adds what is answered about people. Sessions are not moved, nor is the link for the first person, which is over.
async fn people_answers(store: &impl PeopleStore, answers: &mut Answers) {
    let persons = store.persons(PageRequest::new(1, 100)).await.unwrap();
    answers.add("persons", &persons);
    for person in &persons.items {
        let found = store.credentials(&person.email).await.unwrap().unwrap();
        answers.add("credentials", (found.person, found.password.map(|hash| hash.as_str().to_owned())));
        answers.add("memberships", store.memberships(person.id).await);
        answers.add("second_factor", store.second_factor(person.id).await);
    }
    answers.add("audit", store.audit(None, PageRequest::new(1, 100)).await);
}

async fn team_answers(store: &(impl Store + ReviewStore + SiteFieldStore), team: TeamId, answers: &mut Answers) {
    answers.add("team", store.team(team).await);
    answers.add("purge_held_until", store.purge_held_until(team).await);
    answers.add("brand", store.brand(team).await.map(|brand| (brand.logo.as_ref().map(|l| l.bytes().to_vec()), brand)));
    answers.add("tokens", store.tokens(team).await);
    answers.add("members", store.members(team).await);
    answers.add("two_steps", store.two_steps(team).await);
    answers.add("invitations", store.invitations(team).await);
    answers.add("audit", store.audit(Some(team), PageRequest::new(1, 100)).await);
    answers.add("site_usage", store.site_usage(team).await);
    answers.add("tagged", store.sites(team, Some("client"), PageRequest::new(1, 100)).await);
    let sites = store.sites(team, None, PageRequest::new(1, 100)).await.unwrap();
    answers.add("sites", &sites);
    answers.add("site_fields", store.site_fields(team).await);
    answers.add("site_values", store.all_site_values(team).await);
    for site in &sites.items {
        answers.add("site", store.site(team, site.id).await);
        answers.add("judgements", store.all_judgements(team, site.id).await);
        answers.add("assignments", store.all_assignments(team, site.id).await);
        answers.add("assessments", store.assessments(team, site.id).await);
        answers.add("latest_completed", store.latest_completed(team, site.id).await);
        let scans = store.scans(team, site.id, PageRequest::new(1, 100)).await.unwrap().unwrap();
        answers.add("scans", &scans);
        for scan in &scans.items {
            scan_answers(store, team, scan.id, answers).await;
        }
    }
    let endpoints = store.endpoints(team).await.unwrap();
    answers.add("endpoints", &endpoints);
    for endpoint in &endpoints {
        let deliveries = store.deliveries(team, endpoint.id, PageRequest::new(1, 100)).await.unwrap().unwrap();
        answers.add("deliveries", &deliveries);
        for delivery in &deliveries.items {
            answers.add("delivery", store.delivery(team, delivery.id).await);
            answers.add("attempts", store.attempts(team, delivery.id).await);
        }
    }
}

async fn scan_answers(store: &impl Store, team: TeamId, scan: ScanId, answers: &mut Answers) {
    answers.add("scan", store.scan(team, scan).await);
    answers.add("findings", store.findings(team, scan).await);
    answers.add("trend", store.trend(team, scan, 100).await);
    answers.add("screenshot", store.screenshot(team, scan, ScreenshotId(7)).await);
    answers.add("screen", store.screen(team, scan).await);
    for key in Locale::ALL.into_iter().flat_map(all_keys) {
        let document = store.document(team, scan, key).await;
        answers.add("document", document.map(|found| found.map(|document| (document.style, document.bytes))));
    }
}

/// Answers in words, each with the question.
#[derive(Default)]
struct Answers(Vec<String>);

impl Answers {
    fn add(&mut self, question: &str, answer: impl Debug) {
        self.0.push(format!("{question}: {answer:?}"));
    }
}

const fn all_keys(locale: Locale) -> [DocumentKey; 3] {
    [DocumentKey::Report(locale), DocumentKey::FullReport(locale), DocumentKey::ConformanceReport(locale)]
}

/// Returns a plan with fields and a word that this release does not know.
fn later_plan() -> Plan {
    let mut document = serde_json::to_value(fixtures::other_plan("later", |_| {})).unwrap();
    document["badge"] = json!({"text": "New", "until": null});
    document["limits"]["new_limit"] = json!(7);
    document["limits"]["check_frequency"] = json!("hourly");
    serde_json::from_value(document).unwrap()
}

/// Returns a site without anything that may be missing.
fn bare_site<S: Store>(url: &str, world: &World<S>) -> NewSite {
    let details = SiteDetails {
        url: SiteUrl::parse(url).unwrap(),
        name: None,
        report_locale: Locale::En,
        platform: None,
        stack: Vec::new(),
        tags: Vec::new(),
        standard: None,
    };
    NewSite { id: SiteId::generate(world.now()), details }
}

/// Returns all checks that are due, in the order in which workers of new nodes are given them.
pub(super) async fn drain(store: &impl Store) -> Vec<(ScanId, i64)> {
    let mut given = Vec::new();
    while let Some(claimed) = store.claim_scan(&worker(), Lease::TERM).await.unwrap() {
        given.push((claimed.claim.scan, claimed.claim.token.get()));
    }
    given
}

fn worker() -> WorkerId {
    NodeId::generate().worker()
}
