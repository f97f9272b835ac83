//! Findings come back as they were stored, however many and however long.

use a11ycheck_core::{
    domain::{
        Area, AxeCheck, CheckNeed, CheckOutcome, Cover, CoverKind, Failure, FailureCode, Finding, Findings, Impact,
        PageOutcome, PlatformKey, RuleFacts, RuleId, ScreenshotId, ScreenshotRef, UncheckedFrame, UndecidedReason,
    },
    id::{ScanId, TeamId},
    ranking::Extract,
    store::{Completion, Store},
};

use crate::{
    StoreFactory,
    suite::{fixtures, world::World},
};

impl<S: Store> World<S> {
    /// Stores findings as the result of a check, and asserts that they come back as they were.
    pub(crate) async fn assert_kept(&self, findings: Findings) {
        let team = self.team().await;
        let claim = self.running(team, self.site(team).await).await;
        let outcome = fixtures::outcome(&findings);
        let completion = Completion { findings: findings.clone(), outcome, ..self.completion() };
        self.store.complete_scan(claim, completion).await.unwrap();
        let kept = self.store.findings(team, claim.scan).await.unwrap().expect("they were stored");
        // Not `assert_eq!`: five thousand elements would hide the difference.
        assert_eq!((&kept.engine, &kept.pages, &kept.stack), (&findings.engine, &findings.pages, &findings.stack));
        assert_eq!((&kept.rules, &kept.needs_review), (&findings.rules, &findings.needs_review));
        assert_eq!((&kept.undecided, &kept.undecided_reasons), (&findings.undecided, &findings.undecided_reasons));
        assert_eq!(kept.items.len(), findings.items.len());
        for (index, (kept, given)) in kept.items.iter().zip(&findings.items).enumerate() {
            assert_eq!(kept, given, "element {index}");
        }
        self.assert_opened(team, claim.scan, &kept).await;
    }

    /// Asserts that findings are opened with what all of them say.
    async fn assert_opened(&self, team: TeamId, scan: ScanId, findings: &Findings) {
        let open = self.store.open_findings(team, scan).await.unwrap().expect("they were stored");
        assert!(*open.extract() == Extract::of(findings), "the extract is that of all findings");
        let last = (findings.items.len() + findings.undecided.len()) as u64;
        let numbers: Vec<u64> = (0..=last + 1).rev().step_by(37).chain([1, 1, last]).collect();
        let expected: Vec<_> = numbers.iter().filter_map(|number| findings.numbered(*number).cloned()).collect();
        assert_eq!(open.elements(&numbers).await.unwrap(), expected);
    }
}

pub(crate) async fn five_thousand_findings_come_back_in_their_order<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    world.assert_kept(fixtures::findings(5_000)).await;
}

/// Judging and listing elements reads the extract of a check. A check that has not completed, or that is another
/// team's, has none.
pub(crate) async fn only_completed_checks_of_the_team_are_opened<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, stranger) = (world.team().await, world.team().await);
    let claim = world.running(team, world.site(team).await).await;
    assert!(world.store.open_findings(team, claim.scan).await.unwrap().is_none(), "it runs");
    world.store.complete_scan(claim, world.completion()).await.unwrap();
    assert!(world.store.open_findings(team, claim.scan).await.unwrap().is_some());
    assert!(world.store.open_findings(stranger, claim.scan).await.unwrap().is_none());
}

pub(crate) async fn no_findings_are_findings_too<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    world.assert_kept(Findings::new(fixtures::engine())).await;
}

pub(crate) async fn every_field_of_a_finding_comes_back<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let mut findings = fixtures::findings(0);
    let impacts = Impact::ALL.into_iter().chain([Impact::Minor]);
    for (number, impact) in (0_u32..).zip(impacts) {
        let rule = RuleId::new(format!("rule-{number}"));
        let facts = RuleFacts::new(impact, (0..number).map(|tag| format!("tag-{tag}")))
            .with_texts("h".repeat(5_000), "")
            .with_help_url("https://rules.example/?a=1&b=\"2\"#c");
        findings.rules.insert(rule.clone(), facts);
        let page = usize::try_from(number).unwrap() % 2;
        let mut item = Finding::new(rule.clone(), page, "https://shop.example/", "a", "<a>", "s")
            .with_area(Area::new(u32::MAX, 0, number, u32::MAX))
            .with_screenshot(ScreenshotRef::new(ScreenshotId(u32::MAX - number), number, u32::MAX));
        item.is_new = number % 2 == 0;
        let need = if item.is_new { CheckNeed::Any } else { CheckNeed::All };
        let check = AxeCheck::new("check-\u{1F4A1}", need, CheckOutcome::Incomplete).with_key("reason");
        let check = check.with_value("", ["ї", "\"'\\"]).with_value("empty", [""; 0]);
        let reason = UndecidedReason::new(&check.id, check.key.as_deref(), u32::MAX);
        item.checks = vec![check, AxeCheck::new("other", need, CheckOutcome::Fail)];
        findings.undecided.push(item.clone());
        findings.undecided_reasons.insert(rule.clone(), vec![reason]);
        findings.items.push(item);
        findings.needs_review.insert(rule, u32::MAX - number);
    }
    let mut page = PageOutcome::failed("https://shop.example/x", "T", Failure::new(FailureCode::TooLarge, ""));
    page.frames_not_checked = u32::MAX;
    page.cover = Some(Cover::new(CoverKind::Consent, 100));
    page.still_changing = true;
    page.unanswered = vec!["https://tracker.example/\u{1F4A1}".to_owned()];
    page.unchecked_frames = vec![UncheckedFrame::new("https://ads.example/\u{1F4A1}", FailureCode::EngineError)];
    findings.pages.push(page);
    findings.stack = ["b", "a", "b"].map(PlatformKey::new).to_vec();
    world.assert_kept(findings).await;
}

pub(crate) async fn the_longest_texts_of_findings_come_back<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let mut findings = fixtures::findings(0);
    // Four bytes a character, the most that there is.
    let long = "𝒜".repeat(100_000);
    findings.items.extend(
        (0..20).map(|_| Finding::new(RuleId::new("color-contrast"), 0, "https://a.example/", &long, &long, &long)),
    );
    findings.pages = vec![PageOutcome::checked(format!("https://a.example/{}", "a".repeat(100_000)), &long)];
    assert_eq!(findings.items[0].html.chars().count(), Finding::MAX_HTML);
    world.assert_kept(findings).await;
}
