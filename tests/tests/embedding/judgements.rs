//! Judgements through the library: who may, and what a host without them has.

use std::collections::BTreeMap;

use a11ycheck_core::{
    Engine, Error, Service,
    domain::{
        Ability, AssessmentInput, AssessmentOutcome, CriterionNumber, Impact, JudgementInput, JudgementState,
        PersonKind, PlanCode, Role, SiteInput,
    },
    engine::Step,
    id::{JudgementId, ScanId, SiteId},
    net::StaticResolver,
    paging::PageRequest,
    scanner::{CancellationToken, Script, ScriptedScanner},
    service::{Actor, Browser, People, PersonInput, TeamHandle, TeamInput, TokenInput, Visit},
};
use a11ycheck_storage_memory::MemoryStore;

/// A team with a site, whose first check has completed.
struct Checked {
    people: People,
    service: Service,
    team: TeamHandle,
    site: SiteId,
    scan: ScanId,
}

impl Checked {
    async fn new(keeps_judgements: bool) -> Self {
        let store = MemoryStore::new();
        let builder = Service::builder(store.clone()).with_people(store.clone());
        let builder = if keeps_judgements { builder.with_judgements(store) } else { builder };
        let resolver = StaticResolver::new().with("shop.example.com", ["93.184.216.34".parse().unwrap()]);
        let service = builder.with_resolver(resolver).build().await.unwrap();
        let team = service.operator().create_team(TeamInput::new("Team", PlanCode::PRO)).await.unwrap().id;
        let team = service.team(team).await.unwrap();
        let added = team.add_site(SiteInput::parse("https://shop.example.com").unwrap()).await.unwrap();
        let script =
            Script::page("https://shop.example.com/").with_problem("label", Impact::Serious, "#a", "<input id=a>");
        let engine = Engine::builder(&service).with_scanner(ScriptedScanner::new([script])).build();
        let worker = engine.worker().expect("it was given a scanner");
        assert_eq!(worker.step(&CancellationToken::new()).await.unwrap(), Step::Worked);
        let (site, scan) = (added.site.id, added.first_scan.unwrap());
        Self { people: service.people().unwrap(), service, team, site, scan }
    }

    async fn visit(&self, email: &str, role: Role) -> Visit {
        let actor = Actor::program("a host");
        let input = PersonInput::new(email.parse().unwrap());
        let person = self.people.create_person(&actor, input, PersonKind::User).await.unwrap();
        self.people.of_team(&self.team, actor).add_member(&person, role).await.unwrap();
        let secret = self.people.begin_session(&person, Browser::new("Browser", None)).await.unwrap().1;
        self.people.team_of(&secret, self.team.id()).await.unwrap()
    }
}

fn input() -> JudgementInput {
    let (verdict, note) = ("false-positive".to_owned(), "The label is drawn as a picture.".to_owned());
    JudgementInput { verdict, note, ..JudgementInput::default() }
}

/// Returns what says that a criterion is met.
fn assessed(criterion: &str) -> BTreeMap<CriterionNumber, AssessmentInput> {
    let (outcome, note) = (AssessmentOutcome::Supports.to_string(), String::new());
    [(criterion.parse().unwrap(), AssessmentInput { outcome, note })].into()
}

#[tokio::test]
async fn owners_and_members_judge_and_viewers_and_tokens_do_not() {
    let checked = Checked::new(true).await;
    let of = |handle: &TeamHandle| checked.people.of_team(handle, Actor::program("a host"));
    for (email, role) in [("m@example.org", Role::Member), ("o@example.org", Role::Owner)] {
        let visit = checked.visit(email, role).await;
        assert!(visit.handle.judges());
        let made = of(&visit.handle).judge(checked.scan, 1, &input()).await.unwrap();
        assert_eq!(of(&visit.handle).assess(checked.site, &assessed("2.1.1")).await.unwrap(), 1);
        let listed = visit.handle.judgements(checked.site, PageRequest::new(1, 10)).await.unwrap();
        assert_eq!((listed.page.total, listed.stale), (1, 0), "it takes the place of the one before");
        assert_eq!(listed.page.items[0].judgement, made);
        assert_eq!(listed.page.items[0].state, Some(JudgementState::Holds));
    }
    let viewer = checked.visit("v@example.org", Role::Viewer).await.handle;
    let created = checked.team.create_token(TokenInput::new("CI", [Ability::Read, Ability::Write])).await;
    let token = checked.service.team_with_token(&created.unwrap().1).await.unwrap();
    let made =
        checked.team.judgements(checked.site, PageRequest::new(1, 10)).await.unwrap().page.items.remove(0).judgement;
    for handle in [viewer, token] {
        assert!(!handle.judges());
        let refused = of(&handle).judge(checked.scan, 1, &input()).await;
        assert!(matches!(refused, Err(Error::MissingAbility(_) | Error::MayNotJudge)), "{refused:?}");
        let refused = of(&handle).undo_judgement(checked.site, made.id).await;
        assert!(matches!(refused, Err(Error::MissingAbility(_) | Error::MayNotJudge)), "{refused:?}");
        assert!(of(&handle).undo_stale_judgements(checked.site).await.is_err());
        let refused = of(&handle).assess(checked.site, &assessed("2.1.1")).await;
        assert!(matches!(refused, Err(Error::MissingAbility(_) | Error::MayNotJudge)), "{refused:?}");
        assert_eq!(handle.assessments(checked.site).await.unwrap().counts.assessed, 1, "who reads, reads it");
        let read = handle.reviewed_report(checked.scan, None).await.unwrap();
        assert_eq!((read.about(1).unwrap().0.id, read.report.accepted.count(), read.report.total), (made.id, 1, 1));
        assert_eq!(handle.report(checked.scan, None).await.unwrap().accepted.count(), 0, "what was found");
    }
}

#[tokio::test]
async fn what_is_of_others_or_is_not_there_is_not_found() {
    let checked = Checked::new(true).await;
    let other = checked.service.operator().create_team(TeamInput::new("Other", PlanCode::PRO)).await.unwrap().id;
    let other = checked.service.team(other).await.unwrap();
    let of = |handle: &TeamHandle| checked.people.of_team(handle, Actor::program("a host"));
    let made = of(&checked.team).judge(checked.scan, 1, &input()).await.unwrap();
    let not_found = |result: Result<(), Error>| assert!(matches!(result, Err(Error::NotFound)), "{result:?}");
    not_found(of(&other).judge(checked.scan, 1, &input()).await.map(drop));
    not_found(of(&other).undo_judgement(checked.site, made.id).await.map(drop));
    not_found(of(&other).undo_stale_judgements(checked.site).await.map(drop));
    not_found(other.judgements(checked.site, PageRequest::new(1, 10)).await.map(drop));
    not_found(other.element_to_judge(checked.scan, 1).await.map(drop));
    not_found(of(&checked.team).judge(checked.scan, 2, &input()).await.map(drop));
    not_found(of(&other).assess(checked.site, &assessed("2.1.1")).await.map(drop));
    not_found(other.assessments(checked.site).await.map(drop));
    not_found(other.assessment_counts(checked.site).await.map(drop));
    for criterion in ["4.1.1", "1.4.6", "9.9.9"] {
        not_found(of(&checked.team).assess(checked.site, &assessed(criterion)).await.map(drop));
    }
    not_found(of(&checked.team).undo_judgement(checked.site, JudgementId::presented("x")).await.map(drop));
}

#[tokio::test]
async fn a_host_that_keeps_no_judgements_has_reports_and_files_all_the_same() {
    let checked = Checked::new(false).await;
    let of_team = checked.people.of_team(&checked.team, Actor::program("a host"));
    assert!(!checked.team.judges());
    assert!(matches!(of_team.judge(checked.scan, 1, &input()).await, Err(Error::NotFound)));
    assert_eq!(of_team.undo_stale_judgements(checked.site).await.unwrap(), 0);
    assert!(matches!(of_team.assess(checked.site, &assessed("2.1.1")).await, Err(Error::NotFound)));
    assert_eq!(checked.team.assessment_counts(checked.site).await.unwrap(), None);
    assert_eq!(checked.team.judgements(checked.site, PageRequest::new(1, 10)).await.unwrap().page.total, 0);
    let reviewed = checked.team.reviewed_report(checked.scan, None).await.unwrap();
    assert!(reviewed.judgements.is_empty() && reviewed.report.total == 1);
}
