//! What people say about success criteria of a site: the list of them by the parts of testing by hand, and the form of each part.

use std::collections::BTreeMap;

use a11ycheck_core::{
    catalog::{HandStep, card, fill, hand_steps},
    domain::{Assessment, AssessmentInput, AssessmentOutcome, CriterionNumber, Scan, Site},
    export::acr::Conformance,
    id::SiteId,
    service::{AssessedCriterion, AssessmentCounts, CriterionFound, CriterionState, SiteAssessments},
};
use askama::Template;

use super::{
    context::{InTeam, form_page, page},
    error::PageError,
};
use crate::{
    form_errors::FormErrors,
    response::Response,
    shell::{Section, Shell},
    time::Instant,
};

/// The contents of the form, by criterion.
type Entered = BTreeMap<CriterionNumber, AssessmentInput>;

/// A part of the hour of testing by hand.
struct Part {
    id: &'static str,
    title: &'static str,
    how: &'static str,
    minutes: String,
    rows: Vec<Row>,
}

/// A criterion.
struct Row {
    number: &'static str,
    name: &'static str,
    /// The end of the ids of its fields.
    key: String,
    is_beyond: bool,
    found: String,
    said: Option<Said>,
    fields: Fields,
}

/// An assessment as the page shows it, in words.
struct Said {
    outcome: &'static str,
    /// The note of the person who assessed it: any text, so it is escaped.
    note: String,
    author: String,
    at: Instant,
    /// The reason to look again; `None` if there is none.
    again: Option<&'static str>,
}

/// The fields of a criterion in the form.
#[derive(Default)]
struct Fields {
    choices: Vec<Choice>,
    note: String,
    outcome_error: Option<String>,
    note_error: Option<String>,
}

/// An outcome that can be chosen.
struct Choice {
    word: &'static str,
    name: &'static str,
    is_chosen: bool,
}

#[derive(Template)]
#[template(path = "criteria.html")]
struct CriteriaPage {
    shell: Shell,
    site: Site,
    counts: String,
    check: Option<Scan>,
    parts: Vec<Part>,
    is_open_only: bool,
    judges: bool,
}

#[derive(Template)]
#[template(path = "assess-criteria.html")]
struct AssessPage {
    shell: Shell,
    site: Site,
    part: Part,
}

impl CriteriaPage {
    /// Returns the instant at which the latest check completed, with its id.
    fn checked(&self) -> Option<(String, Instant)> {
        let scan = self.check.as_ref()?;
        Some((scan.id.to_string(), Instant::of(scan.finished_at()?)))
    }
}

impl Part {
    fn new(step: &'static HandStep, rows: Vec<Row>, shell: &Shell) -> Self {
        Self {
            id: &step.id,
            title: step.title(shell.locale),
            how: step.how(shell.locale),
            minutes: shell.terms.counted(&shell.terms.count.minute, step.minutes.into()),
            rows,
        }
    }
}

impl Row {
    fn of(one: &AssessedCriterion, fields: Fields, shell: &Shell) -> Self {
        Self {
            number: &one.criterion.number,
            name: one.criterion.name(shell.locale),
            key: one.criterion.number.replace('.', "-"),
            is_beyond: !one.is_required,
            found: found(&one.found, shell),
            said: one.assessment.as_ref().map(|assessment| Said::of(assessment, one.state, shell)),
            fields,
        }
    }
}

impl Said {
    fn of(assessment: &Assessment, state: CriterionState, shell: &Shell) -> Self {
        let words = &shell.words.criteria;
        Self {
            outcome: outcome(assessment.outcome, shell),
            note: assessment.note.clone(),
            author: assessment.author.clone(),
            at: Instant::of(assessment.at),
            again: match state {
                CriterionState::Old => Some(&words.old),
                CriterionState::Contradicted => Some(&words.contradicted),
                _ => None,
            },
        }
    }
}

impl Fields {
    fn of(one: &AssessedCriterion, entered: &Entered, shell: &Shell) -> Self {
        let Ok(number) = one.criterion.number.parse::<CriterionNumber>() else { return Self::default() };
        let entered = entered.get(&number).cloned().unwrap_or_default();
        let words = &shell.words.criteria;
        let choice = |word: &'static str, name: &'static str| Choice { word, name, is_chosen: word == entered.outcome };
        let leave = if one.assessment.is_some() { words.leave.as_str() } else { words.not_looked.as_str() };
        let outcomes = AssessmentOutcome::KNOWN.iter().map(|known| choice(known.as_str(), outcome(*known, shell)));
        let take_back = one.assessment.is_some().then(|| choice(AssessmentInput::TAKE_BACK, words.take_back.as_str()));
        let error = |field: String| shell.errors.of(&field).map(str::to_owned);
        Self {
            choices: [choice("", leave)].into_iter().chain(outcomes).chain(take_back).collect(),
            outcome_error: error(AssessmentInput::outcome_field(&number)),
            note_error: error(AssessmentInput::note_field(&number)),
            note: entered.note,
        }
    }
}

/// Returns the term of conformance reports for an outcome.
fn outcome(outcome: AssessmentOutcome, shell: &Shell) -> &'static str {
    Conformance::said(outcome).map_or(shell.words.criteria.unknown.as_str(), |said| said.name(&shell.terms.acr))
}

/// Returns what a check found about a criterion.
fn found(found: &CriterionFound, shell: &Shell) -> String {
    let words = &shell.words.criteria;
    match found {
        CriterionFound::NoCheck => words.no_check.clone(),
        CriterionFound::Failures { rules, elements } => {
            let title = |rule: &str| card(rule, shell.locale).map_or(rule, |card| card.title).to_owned();
            let titles: Vec<String> = rules.iter().map(|rule| title(rule.as_str())).collect();
            fill(&words.failures, &[("elements", &elements.to_string()), ("rules", &titles.join("; "))])
        }
        CriterionFound::Undecided(elements) => shell.filled(&words.undecided, "elements", elements),
        CriterionFound::Nothing(rules) => shell.filled(&words.nothing, "rules", rules),
        _ => words.not_tested.clone(),
    }
}

/// Returns how many criteria of a site are assessed, in few words.
pub(super) fn counted(counts: AssessmentCounts, shell: &Shell) -> String {
    let (assessed, required) = (counts.assessed.to_string(), counts.required.to_string());
    fill(&shell.words.criteria.counts_short, &[("assessed", &assessed), ("required", &required)])
}

/// Shows all criteria, or those for which there is something to do.
pub(super) async fn list(team: &InTeam<'_, '_>, site: &str) -> Result<Response, PageError> {
    let SiteAssessments { site, standard, scan, steps, counts, .. } =
        team.handle().assessments(SiteId::presented(site)).await?;
    let is_open_only = team.context.request.query.get("show") == "open";
    let shell = team.shell(Section::Sites, &team.words().criteria.title);
    let mut parts = Vec::new();
    for one in &steps {
        let shown = one.criteria.iter().filter(|criterion| !is_open_only || criterion.is_open());
        let rows: Vec<Row> = shown.map(|criterion| Row::of(criterion, Fields::default(), &shell)).collect();
        if !rows.is_empty() {
            parts.push(Part::new(one.step, rows, &shell));
        }
    }
    let values = [
        ("assessed", &*counts.assessed.to_string()),
        ("required", &counts.required.to_string()),
        ("standard", &standard.name),
    ];
    let counts = fill(&shell.words.criteria.counts, &values);
    let judges = team.handle().judges();
    page(&CriteriaPage { shell, site, counts, check: scan, parts, is_open_only, judges })
}

/// Shows the form of a part: nothing is chosen, whatever was said before.
pub(super) async fn form(team: &InTeam<'_, '_>, site: &str, step: &str) -> Result<Response, PageError> {
    shown(team, SiteId::presented(site), step, &Entered::new(), FormErrors::default()).await
}

async fn shown(
    team: &InTeam<'_, '_>,
    site: SiteId,
    step: &str,
    entered: &Entered,
    errors: FormErrors,
) -> Result<Response, PageError> {
    let found = team.handle().assessments(site).await?;
    let one = found.steps.iter().find(|one| one.step.id == step).ok_or(PageError::NotFound)?;
    let locale = team.context.locale;
    let title = format!("{}: {}", team.words().criteria.assess, one.step.title(locale));
    let shell = team.shell(Section::Sites, &title).with_errors(errors);
    let row = |criterion: &AssessedCriterion| Row::of(criterion, Fields::of(criterion, entered, &shell), &shell);
    let part = Part::new(one.step, one.criteria.iter().map(row).collect(), &shell);
    let template = AssessPage { shell, site: found.site, part };
    form_page(&template, &template.shell)
}

/// Saves what was chosen in the form of a part, and nothing else.
pub(super) async fn assess(team: &InTeam<'_, '_>, site: &str, step: &str) -> Result<Response, PageError> {
    let site = SiteId::presented(site);
    let step = hand_steps().iter().find(|one| one.id == step).ok_or(PageError::NotFound)?;
    let numbers = step.criteria().filter_map(|criterion| criterion.number.parse::<CriterionNumber>().ok());
    let entered: Entered = numbers
        .map(|number| {
            let text = |field: String| team.form().get(&field).to_owned();
            let outcome = text(AssessmentInput::outcome_field(&number));
            let note = text(AssessmentInput::note_field(&number));
            (number, AssessmentInput { outcome, note })
        })
        .collect();
    match team.people()?.assess(site, &entered).await {
        Ok(0) => Ok(team.done(&format!("/sites/{site}/criteria/{}", step.id), "nothing-assessed")),
        Ok(_) => Ok(team.done_at(&format!("/sites/{site}/criteria"), "assessed", &step.id)),
        Err(error) => {
            let refused = FormErrors::of_refusal(error, "criteria", team.words())?;
            shown(team, site, &step.id, &entered, with_numbers(&refused)).await
        }
    }
}

/// Returns problems whose sentences begin with the number of the criterion: the summary above the form has those of all of them.
fn with_numbers(errors: &FormErrors) -> FormErrors {
    let mut numbered = FormErrors::default();
    for error in errors.iter() {
        let number = error.field.split_once('-').map_or("", |(_, key)| key).replace('-', ".");
        numbered.add(&error.field, &format!("{number}: {}", error.text));
    }
    numbered
}
