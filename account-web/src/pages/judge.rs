//! The form with which a person decides about an element of a report, and the list of what was decided about a site.

use a11ycheck_core::{
    Error,
    catalog::card,
    domain::{Judgement, JudgementInput, JudgementState, Reach, Site, Subject},
    id::{JudgementId, ScanId, SiteId},
    paging::PageRequest,
    service::{ElementToJudge, ListedJudgement},
};
use askama::Template;

use super::{
    context::{InTeam, form_page, page},
    decided::{Decided, verdict},
    error::PageError,
    list::Paging,
};
use crate::{
    form_errors::FormErrors,
    response::Response,
    shell::{Section, Shell},
};

/// The word of the form for everything that the rule found, beside those of [`Reach`].
const RULE: &str = "rule";

#[derive(Template)]
#[template(path = "judge.html")]
struct JudgePage {
    shell: Shell,
    check: String,
    number: u64,
    rule: String,
    element: ElementToJudge,
    entered: JudgementInput,
    decided: Option<Decided>,
}

impl JudgePage {
    fn is_finding(&self) -> bool {
        self.element.subject == Subject::Finding
    }

    /// Returns what can be decided: the word, the name, the meaning and whether it is chosen.
    fn verdicts(&self) -> Vec<(&'static str, &'static str, &'static str, bool)> {
        let choice = |known: &'static a11ycheck_core::domain::Verdict| {
            let (name, hint) = verdict(self.shell.words, *known);
            (known.as_str(), name, hint, known.as_str() == self.entered.verdict)
        };
        self.element.subject.verdicts().iter().map(choice).collect()
    }

    fn is_for_template(&self) -> bool {
        self.entered.reach == Reach::Template.as_str()
    }

    fn is_for_rule(&self) -> bool {
        self.entered.reach == RULE
    }

    fn note_label(&self) -> &str {
        let words = &self.shell.words.judge;
        if self.is_finding() { &words.note } else { &words.note_optional }
    }

    fn note_hint(&self) -> &str {
        if self.is_finding() { &self.shell.words.judge.note_hint } else { "" }
    }

    fn until_label(&self) -> &str {
        let words = &self.shell.words.judge;
        if self.is_finding() { &words.until } else { &words.until_optional }
    }

    fn until_hint(&self) -> &str {
        if self.is_finding() { &self.shell.words.judge.until_hint } else { "" }
    }
}

/// Shows the form: with what was decided, or with the usual last day.
pub(super) async fn form(team: &InTeam<'_, '_>, check: &str, number: &str) -> Result<Response, PageError> {
    let (check, number) = ids(check, number)?;
    let element = team.handle().element_to_judge(check, number).await?;
    let usual = match element.subject {
        Subject::Finding => (team.visit.signed_in.at + Judgement::USUAL).date_naive().to_string(),
        _ => String::new(),
    };
    let entered = match &element.judgement {
        // What has expired gets another day, like what is new.
        Some((judgement, state)) => JudgementInput {
            verdict: judgement.verdict.to_string(),
            reach: judgement.reach.to_string(),
            note: judgement.note.clone(),
            until: match state {
                JudgementState::Expired => usual,
                _ => judgement.until.map(|day| day.to_string()).unwrap_or_default(),
            },
        },
        None => JudgementInput { until: usual, ..JudgementInput::default() },
    };
    show(team, check, number, element, entered, FormErrors::default())
}

fn show(
    team: &InTeam<'_, '_>,
    check: ScanId,
    number: u64,
    element: ElementToJudge,
    entered: JudgementInput,
    errors: FormErrors,
) -> Result<Response, PageError> {
    let words = &team.words().judge;
    let title = if element.subject == Subject::Finding { &words.accept_title } else { &words.decide_title };
    let shell = team.shell(Section::Sites, title).with_errors(errors);
    let decided = element.judgement.as_ref().map(|(judgement, state)| Decided::of(judgement, Some(*state), &shell));
    let rule = title_of(element.rule.as_str(), &shell);
    let template = JudgePage { shell, check: check.to_string(), number, rule, element, entered, decided };
    form_page(&template, &template.shell)
}

pub(super) async fn judge(team: &InTeam<'_, '_>, check: &str, number: &str) -> Result<Response, PageError> {
    let (check, number) = ids(check, number)?;
    let form = team.form();
    let entered = JudgementInput {
        verdict: form.get("verdict").to_owned(),
        reach: form.get("reach").to_owned(),
        note: form.get("note").to_owned(),
        until: form.get("until").to_owned(),
    };
    let people = team.people()?;
    let judged = if entered.reach == RULE {
        people.judge_rule(check, number, &entered).await.map(Err)
    } else {
        people.judge(check, number, &entered).await.map(Ok)
    };
    match judged {
        Ok(Ok(judgement)) => Ok(team.done_at(&format!("/checks/{check}"), "judged", judgement.element.rule.as_str())),
        // The list of what was decided, with the way to undo all of it.
        Ok(Err(batch)) => {
            let element = team.handle().element_to_judge(check, number).await?;
            let tab = if element.subject == Subject::Finding { "accepted" } else { "review" };
            Ok(team.to(&format!("/checks/{check}/elements?show={tab}&batch={}", batch.id)))
        }
        Err(error @ (Error::Invalid(_) | Error::TooManyJudgements)) => {
            let element = team.handle().element_to_judge(check, number).await?;
            let errors = FormErrors::of_refusal(error, "verdict", team.words())?;
            show(team, check, number, element, entered, errors)
        }
        Err(error) => Err(error.into()),
    }
}

#[derive(Template)]
#[template(path = "judgements.html")]
struct JudgementsPage {
    shell: Shell,
    site: Site,
    rows: Vec<Row>,
    paging: Paging,
    stale: u64,
    judges: bool,
}

/// A judgement in the list.
struct Row {
    rule: String,
    page: String,
    selector: String,
    is_for_template: bool,
    decided: Decided,
    state: RowState,
}

struct RowState {
    name: &'static str,
    /// The class of its colour.
    class: &'static str,
}

impl Row {
    fn of(listed: &ListedJudgement, shell: &Shell) -> Self {
        let words = &shell.words.judgements;
        let state = |name: &'static str, class| RowState { name, class };
        let element = &listed.judgement.element;
        Self {
            rule: title_of(element.rule.as_str(), shell),
            page: element.page.clone(),
            selector: element.selector.clone(),
            is_for_template: listed.judgement.reach == Reach::Template,
            decided: Decided::of(&listed.judgement, None, shell),
            state: match listed.state {
                _ if listed.is_stale => state(&words.stale, "busy"),
                Some(JudgementState::Holds) => state(&words.holds, "good"),
                Some(JudgementState::Expired) => state(&shell.words.judge.expired, "bad"),
                Some(JudgementState::Changed) => state(&shell.words.judge.changed, "bad"),
                Some(JudgementState::Gone) => state(&words.gone, ""),
                Some(JudgementState::NotSeen) | None => state(&words.not_seen, ""),
            },
        }
    }
}

/// The judgements on one page.
const PER_PAGE: u32 = PageRequest::MAX_PER_PAGE / 2;

pub(super) async fn list(team: &InTeam<'_, '_>, site: &str) -> Result<Response, PageError> {
    let site = team.handle().site(SiteId::presented(site)).await?;
    let listed = team.handle().judgements(site.id, team.context.page(PER_PAGE)).await?;
    let shell = team.shell(Section::Sites, &team.words().judgements.title);
    let rows = listed.page.items.iter().map(|one| Row::of(one, &shell)).collect();
    let (paging, stale, judges) = (Paging::of(&listed.page, &[]), listed.stale, team.handle().judges());
    page(&JudgementsPage { shell, site, rows, paging, stale, judges })
}

/// Takes a judgement back, and leads to where that was asked for.
pub(super) async fn undo(team: &InTeam<'_, '_>, site: &str, judgement: &str) -> Result<Response, PageError> {
    let site = SiteId::presented(site);
    let undone = team.people()?.undo_judgement(site, JudgementId::presented(judgement)).await?;
    match team.form().get("check").parse::<ScanId>() {
        Ok(check) => {
            let rule = undone.element.rule;
            Ok(team.done_at(&format!("/checks/{check}"), "judgement-undone", rule.as_str()))
        }
        Err(_) => Ok(team.done(&format!("/sites/{site}/decisions"), "judgement-undone")),
    }
}

/// Removes all judgements that match nothing any more.
pub(super) async fn drop_stale(team: &InTeam<'_, '_>, site: &str) -> Result<Response, PageError> {
    let site = SiteId::presented(site);
    team.people()?.undo_stale_judgements(site).await?;
    Ok(team.done(&format!("/sites/{site}/decisions"), "judgements-dropped"))
}

fn ids(check: &str, number: &str) -> Result<(ScanId, u64), PageError> {
    Ok((ScanId::presented(check), number.parse().map_err(|_| PageError::NotFound)?))
}

fn title_of(rule: &str, shell: &Shell) -> String {
    card(rule, shell.locale).map_or(rule, |card| card.title).to_owned()
}
