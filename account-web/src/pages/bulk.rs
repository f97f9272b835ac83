//! Many elements of a check at once: accepted, decided about or assigned, and for a while undone.

use a11ycheck_core::{
    Error,
    domain::{AssignmentInput, Batch, Judgement, JudgementInput, Reach, Subject, Verdict, WorkScope, WorkState},
    id::{BatchId, ScanId},
    service::{Chosen, ElementsQuery},
};
use askama::Template;

use super::{
    context::{InTeam, form_page},
    decided::verdict,
    elements::Tab,
    error::PageError,
    work::{self, choice},
};
use crate::{
    form_errors::FormErrors,
    request::Fields,
    response::Response,
    shell::{Section, Shell},
    time::Instant,
};

/// The deed that is done with many elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Deed {
    Judge,
    Assign,
}

#[derive(Template)]
#[template(path = "bulk.html")]
struct BulkPage {
    shell: Shell,
    check: String,
    deed: Deed,
    subject: Subject,
    count: usize,
    /// The part of the choice that the form repeats.
    hidden: Hidden,
    judged: JudgementInput,
    assigned: AssignmentInput,
    members: Vec<(String, String, bool)>,
}

impl BulkPage {
    fn is_finding(&self) -> bool {
        self.subject == Subject::Finding
    }

    fn assigns(&self) -> bool {
        self.deed == Deed::Assign
    }

    fn verdicts(&self) -> Vec<(&'static str, &'static str, &'static str, bool)> {
        let choice = |known: &'static Verdict| {
            let (name, hint) = verdict(self.shell.words, *known);
            (known.as_str(), name, hint, known.as_str() == self.judged.verdict)
        };
        self.subject.verdicts().iter().map(choice).collect()
    }

    fn is_for_templates(&self) -> bool {
        self.judged.reach == Reach::Template.as_str() || self.assigned.scope == WorkScope::Template.as_str()
    }

    fn is_for_rules(&self) -> bool {
        self.assigned.scope == WorkScope::Rule.as_str()
    }

    fn states(&self) -> Vec<(&'static str, &'static str, bool)> {
        let words = self.shell.words;
        let entered =
            if self.assigned.state.is_empty() { WorkState::Open.as_str() } else { self.assigned.state.as_str() };
        WorkState::KNOWN
            .iter()
            .map(|state| (state.as_str(), work::state_name(*state, &words.work), state.as_str() == entered))
            .collect()
    }

    fn note_label(&self) -> &str {
        let words = &self.shell.words.judge;
        if self.is_finding() { &words.note } else { &words.note_optional }
    }

    fn until_label(&self) -> &str {
        let words = &self.shell.words.judge;
        if self.is_finding() { &words.until } else { &words.until_optional }
    }

    fn until_hint(&self) -> &str {
        if self.is_finding() { &self.shell.words.judge.until_hint } else { "" }
    }
}

/// Fields that a form sends again: names and values.
type Hidden = Vec<(&'static str, String)>;

/// Reads the choice from a query or a form.
fn choice_of(fields: &Fields) -> Result<(Chosen, Deed, Hidden), PageError> {
    let deed = if fields.get("do") == "assign" { Deed::Assign } else { Deed::Judge };
    let mut hidden = vec![("do", if deed == Deed::Assign { "assign" } else { "judge" }.to_owned())];
    let (tab, at) = (Tab::named(fields.get("show")), fields.get("at"));
    hidden.push(("show", tab.word().to_owned()));
    if !at.is_empty() {
        hidden.push(("at", at.to_owned()));
    }
    let chosen = if fields.get("which") == "all" {
        hidden.push(("which", "all".to_owned()));
        let page: Option<usize> = match at {
            "" => None,
            number => Some(number.parse().map_err(|_| PageError::NotFound)?),
        };
        Chosen::Matching(ElementsQuery::new(tab.shown(), page))
    } else {
        let numbers: Result<Vec<u64>, _> = fields.all("element").map(str::parse).collect();
        let numbers = numbers.map_err(|_| PageError::NotFound)?;
        hidden.extend(numbers.iter().map(|number| ("element", number.to_string())));
        Chosen::Elements(numbers)
    };
    Ok((chosen, deed, hidden))
}

/// Returns the query of the list from which was chosen.
fn list_query(fields: &Fields) -> String {
    let at: String = fields.get("at").parse::<usize>().map(|at| format!("&at={at}")).unwrap_or_default();
    format!("show={}{at}", Tab::named(fields.get("show")).word())
}

/// Shows the form for what was chosen in a list.
pub(super) async fn form(team: &InTeam<'_, '_>, check: &str) -> Result<Response, PageError> {
    let check = ScanId::presented(check);
    let fields = &team.context.request.query;
    let (chosen, deed, hidden) = choice_of(fields)?;
    let found = match team.handle().chosen(check, &chosen).await {
        Ok(found) => found,
        // Nothing, or too much: the list says so.
        Err(error @ Error::Invalid(_)) => {
            let word = match error.fields().and_then(|fields| fields.iter().next()) {
                Some((_, [a11ycheck_core::domain::Problem::TooMany(_), ..])) => "too-many-chosen",
                _ => "none-chosen",
            };
            return Ok(team.to(&format!("/checks/{check}/elements?{}&done={word}", list_query(fields))));
        }
        Err(error) => return Err(error.into()),
    };
    let usual = match found.subject {
        Subject::Finding => (team.visit.signed_in.at + Judgement::USUAL).date_naive().to_string(),
        _ => String::new(),
    };
    let judged = JudgementInput { until: usual, ..JudgementInput::default() };
    let own = team.visit.signed_in.person.id.to_string();
    let assigned = AssignmentInput { assignee: own, ..AssignmentInput::default() };
    show(team, check, (found.subject, found.numbers.len()), (deed, hidden), (judged, assigned), FormErrors::default())
        .await
}

async fn show(
    team: &InTeam<'_, '_>,
    check: ScanId,
    (subject, count): (Subject, usize),
    (deed, hidden): (Deed, Vec<(&'static str, String)>),
    (judged, assigned): (JudgementInput, AssignmentInput),
    errors: FormErrors,
) -> Result<Response, PageError> {
    if deed == Deed::Assign && subject != Subject::Finding {
        return Err(PageError::NotFound);
    }
    let words = &team.words().bulk;
    let title = match (deed, subject) {
        (Deed::Assign, _) => &words.assign_title,
        (Deed::Judge, Subject::Finding) => &words.accept_title,
        (Deed::Judge, _) => &words.decide_title,
    };
    let members = match deed {
        Deed::Assign => choice(&work::names(team).await?, &assigned.assignee),
        Deed::Judge => Vec::new(),
    };
    let mut shell = team.shell(Section::Sites, title).with_errors(errors);
    // What was chosen is in the form, and has to be in the address to which a change of the language leads.
    let query = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(&hidden).finish();
    shell.here = format!("/teams/{}/checks/{check}/bulk?{query}", team.visit.team.id);
    let check = check.to_string();
    let template = BulkPage { shell, check, deed, subject, count, hidden, judged, assigned, members };
    form_page(&template, &template.shell)
}

/// Does what was entered with everything that was chosen.
pub(super) async fn act(team: &InTeam<'_, '_>, check: &str) -> Result<Response, PageError> {
    let check = ScanId::presented(check);
    let form = team.form();
    let (chosen, deed, hidden) = choice_of(form)?;
    let text = |name: &str| form.get(name).to_owned();
    let judged =
        JudgementInput { verdict: text("verdict"), reach: text("reach"), note: text("note"), until: text("until") };
    let assigned =
        AssignmentInput { assignee: text("assignee"), state: text("state"), due: text("due"), scope: text("reach") };
    let people = team.people()?;
    let made = match deed {
        Deed::Judge => people.judge_many(check, &chosen, &judged).await,
        Deed::Assign => people.assign_many(check, &chosen, &assigned).await,
    };
    match made {
        Ok(batch) => Ok(team.to(&format!("/checks/{check}/elements?{}&batch={}", list_query(form), batch.id))),
        Err(error @ (Error::Invalid(_) | Error::TooManyJudgements | Error::TooManyAssignments)) => {
            let field = if deed == Deed::Assign { "assignee" } else { "verdict" };
            let errors = FormErrors::of_refusal(error, field, team.words())?;
            let found = team.handle().chosen(check, &chosen).await?;
            let entered = (judged, assigned);
            show(team, check, (found.subject, found.numbers.len()), (deed, hidden), entered, errors).await
        }
        Err(error) => Err(error.into()),
    }
}

/// Undoes what was made at once, and says what it could not undo.
pub(super) async fn undo(team: &InTeam<'_, '_>, check: &str, batch: &str) -> Result<Response, PageError> {
    let below = format!("/checks/{}/elements", ScanId::presented(check));
    match team.people()?.undo_batch(BatchId::presented(batch)).await {
        Ok(undone) => Ok(team.to(&format!("{below}?undone={}&kept={}", undone.undone, undone.kept))),
        Err(Error::NotFound) => Ok(team.done(&below, "batch-gone")),
        Err(error) => Err(error.into()),
    }
}

/// The message of the list of elements about something that was just made at once, or undone.
#[derive(Debug)]
pub(super) enum Said {
    /// It was made, and can be undone until then.
    Made { id: String, count: u64, until: Instant },
    /// It was undone: so many, and so many that somebody had changed.
    Undone { undone: u64, kept: u64 },
}

/// Returns what the list says, as its query asks.
pub(super) async fn said(team: &InTeam<'_, '_>) -> Result<Option<Said>, PageError> {
    let query = &team.context.request.query;
    if let (Ok(undone), Ok(kept)) = (query.get("undone").parse(), query.get("kept").parse()) {
        return Ok(Some(Said::Undone { undone, kept }));
    }
    let id = query.get("batch");
    if id.is_empty() {
        return Ok(None);
    }
    let batch: Option<Batch> = team.handle().batch(BatchId::presented(id)).await?;
    Ok(batch.map(|batch| Said::Made {
        id: batch.id.to_string(),
        count: batch.count,
        until: Instant::of(batch.undo_until()),
    }))
}
