//! The steps that cases about judgements begin with.

use a11ycheck_core::{
    Store,
    domain::{
        AxeCheck, CheckNeed, CheckOutcome, Finding, JudgedElement, Judgement, JudgementInput, NewJudgement, RuleId,
        Subject,
    },
    id::{JudgementId, PersonId, SiteId, TeamId},
    store::ReviewStore,
};
use chrono::{DateTime, Utc};

use crate::suite::world::World;

const PAGE: &str = "https://shop.example/блог?x=1";

/// Returns a judgement about the element at a selector, with a value in every field.
pub(crate) fn new_judgement(selector: &str, now: DateTime<Utc>) -> NewJudgement {
    let check = AxeCheck::new("color-contrast", CheckNeed::Any, CheckOutcome::Fail).with_key("bgOverlap");
    let html = format!("<b id=\"{selector}\">Sale ☂ \\ \" ' \u{202e}</b>");
    let finding = Finding::new(RuleId::new("color-contrast"), 0, PAGE, selector, &html, "Fix any").with_checks([check]);
    let input = JudgementInput {
        verdict: "planned".to_owned(),
        reach: String::new(),
        note: "Der neue Kopf kommt im Mai;\n\"так\".".to_owned(),
        until: (now.date_naive() + Judgement::USUAL).to_string(),
    };
    NewJudgement {
        id: JudgementId::generate(now),
        element: JudgedElement::of(&finding, PAGE, 0),
        decision: input.read(Subject::Finding, now.date_naive()).unwrap(),
        person: Some(PersonId::generate(now)),
        author: "Олена Müller".to_owned(),
    }
}

impl<S: Store + ReviewStore> World<S> {
    /// Judges the element at a selector.
    pub(crate) async fn judged(&self, team: TeamId, site: SiteId, selector: &str) -> Judgement {
        let new = new_judgement(selector, self.now());
        self.store.put_judgement(team, site, new, None, self.note(Some(team))).await.unwrap()
    }
}
