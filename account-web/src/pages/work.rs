//! What is assigned to members of a team: the list of it over all sites, and the forms with which it is assigned and changed.

use std::collections::BTreeMap;

use a11ycheck_core::{
    Error,
    catalog::card,
    domain::{Assignment, AssignmentInput, Member, Subject, WorkScope, WorkState},
    id::{AssignmentId, PersonId, ScanId, SiteId},
    paging::PageRequest,
    store::{AssignmentFilter, Progress, Whose},
};
use askama::Template;
use chrono::NaiveDate;

use super::{
    context::{InTeam, form_page, page},
    error::PageError,
    list::Paging,
};
use crate::{
    form_errors::FormErrors,
    response::Response,
    shell::{Section, Shell},
    time::Instant,
    words::Words,
};

/// The names of a team's members.
pub(super) type Names = BTreeMap<PersonId, String>;

/// Returns the names of the members.
pub(super) async fn names(team: &InTeam<'_, '_>) -> Result<Names, PageError> {
    let name = |Member { person, .. }: Member| {
        (person.id, if person.name.is_empty() { person.email.to_string() } else { person.name })
    };
    Ok(team.people()?.members().await?.into_iter().map(name).collect())
}

/// An assignment, as pages show it.
#[derive(Debug)]
pub(super) struct Work {
    pub(super) id: String,
    pub(super) who: String,
    pub(super) state: &'static str,
    /// The class of its colour.
    pub(super) class: &'static str,
    /// The day on which it is due; empty if it has none.
    pub(super) due: String,
    pub(super) is_overdue: bool,
    pub(super) scope: &'static str,
    /// The check that found it after it was done; empty if none did.
    pub(super) again: String,
}

impl Work {
    pub(super) fn of(assignment: &Assignment, names: &Names, today: NaiveDate, words: &'static Words) -> Self {
        let words = &words.work;
        // Who has left the team is nobody, also where a server of the release before took the member out.
        let who = assignment.assignee.and_then(|person| names.get(&person));
        Self {
            id: assignment.id.to_string(),
            who: who.unwrap_or(&words.not_assigned).clone(),
            state: state_name(assignment.state, words),
            class: match assignment.state {
                WorkState::Done => "good",
                WorkState::Doing => "busy",
                _ => "",
            },
            due: assignment.due.map_or_else(String::new, |day| day.to_string()),
            is_overdue: assignment.is_overdue(today),
            scope: match assignment.scope {
                WorkScope::Element => &words.scope_element,
                WorkScope::Template => &words.scope_template,
                WorkScope::Rule => &words.scope_rule,
                _ => "–",
            },
            again: assignment.reopened_by.map_or_else(String::new, |scan| scan.to_string()),
        }
    }
}

pub(super) fn state_name(state: WorkState, words: &'static crate::words::WorkWords) -> &'static str {
    match state {
        WorkState::Open => &words.open,
        WorkState::Doing => &words.doing,
        WorkState::Done => &words.done,
        _ => &words.unknown,
    }
}

#[derive(Template)]
#[template(path = "work.html")]
struct WorkPage {
    shell: Shell,
    rows: Vec<Row>,
    paging: Paging,
    whose: &'static str,
    is_all: bool,
    sites: Vec<(String, String, bool)>,
    total: u64,
    judges: bool,
}

struct Row {
    rule: String,
    site: String,
    site_name: String,
    page: String,
    selector: String,
    work: Work,
}

impl WorkPage {
    /// Returns whose work can be shown: the word, the name and whether it is chosen.
    fn choices(&self) -> [(&'static str, &'static str, bool); 3] {
        let words = &self.shell.words.work;
        [("me", words.me.as_str(), "me"), ("all", &words.everybody, "all"), ("nobody", &words.nobody, "nobody")]
            .map(|(word, name, own)| (word, name, own == self.whose))
    }
}

/// The assignments on one page.
const PER_PAGE: u32 = PageRequest::MAX_PER_PAGE / 2;

pub(super) async fn list(team: &InTeam<'_, '_>) -> Result<Response, PageError> {
    let query = &team.context.request.query;
    let (whose, person) = match query.get("whose") {
        "all" => ("all", Whose::Anybody),
        "nobody" => ("nobody", Whose::Nobody),
        _ => ("me", Whose::Person(team.visit.signed_in.person.id)),
    };
    let (is_all, progress) = match query.get("show") {
        "all" => (true, Progress::Any),
        _ => (false, Progress::Unfinished),
    };
    let site = match query.get("site") {
        "" => None,
        id => Some(SiteId::presented(id)),
    };
    let filter = AssignmentFilter { site, whose: person, progress };
    let found = team.handle().assignments(filter, team.context.page(PER_PAGE)).await?;
    let (names, today) = (names(team).await?, team.visit.signed_in.at.date_naive());
    let assigned = team.handle().assigned_sites().await?.into_iter();
    let mut sites: BTreeMap<SiteId, String> =
        assigned.map(|site| (site.id, site.details.display_name().to_owned())).collect();
    if let Some(id) = site.filter(|id| !sites.contains_key(id)) {
        // Nothing of it is assigned, or it was deleted meanwhile.
        match team.handle().site(id).await {
            Ok(site) => drop(sites.insert(id, site.details.display_name().to_owned())),
            Err(Error::NotFound) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let site_name = |id: &SiteId| sites.get(id).cloned().unwrap_or_default();
    let shell = team.shell(Section::Work, &team.words().work.title);
    let row = |one: &Assignment| Row {
        rule: title_of(one.element.rule.as_str(), &shell),
        site: one.site.to_string(),
        site_name: site_name(&one.site),
        page: one.element.page.clone(),
        selector: one.element.selector.clone(),
        work: Work::of(one, &names, today, shell.words),
    };
    let rows = found.items.iter().map(row).collect();
    let chosen = site.map(|id| id.to_string()).unwrap_or_default();
    let show = if is_all { "all" } else { "" };
    let paging = Paging::of(&found, &[("whose", whose), ("show", show), ("site", &chosen)]);
    let mut sites: Vec<_> = sites.keys().map(|id| (id.to_string(), site_name(id), Some(*id) == site)).collect();
    sites.sort_by_cached_key(|(id, name, _)| (name.to_lowercase(), id.clone()));
    let judges = team.handle().judges();
    page(&WorkPage { shell, rows, paging, whose, is_all, sites, total: found.total, judges })
}

#[derive(Template)]
#[template(path = "assign.html")]
struct AssignPage {
    shell: Shell,
    /// The path to which the form is sent.
    action: String,
    /// The path of the page before.
    back: String,
    back_name: &'static str,
    rule: String,
    page: String,
    selector: String,
    html: String,
    /// The numbers of elements of the template and of the rule in the check; `None` where it is assigned already.
    reach: Option<(u64, u64)>,
    entered: AssignmentInput,
    members: Vec<(String, String, bool)>,
    /// The assignment as it is.
    work: Option<Work>,
    /// The name of its maker, and the instant.
    made: Option<(String, Instant)>,
}

impl AssignPage {
    fn states(&self) -> Vec<(&str, &'static str, bool)> {
        let words = &self.shell.words.work;
        let entered =
            if self.entered.state.is_empty() { WorkState::Open.as_str() } else { self.entered.state.as_str() };
        WorkState::KNOWN
            .iter()
            .map(|state| (state.as_str(), state_name(*state, words), state.as_str() == entered))
            .collect()
    }

    fn is_for(&self, scope: &str) -> bool {
        let entered = if self.entered.scope.is_empty() { WorkScope::Template.as_str() } else { &self.entered.scope };
        entered == scope
    }
}

/// Returns the members for a choice: the id, the name and whether it is chosen.
pub(super) fn choice(names: &Names, chosen: &str) -> Vec<(String, String, bool)> {
    let mut members: Vec<_> =
        names.iter().map(|(id, name)| (id.to_string(), name.clone(), id.to_string() == chosen)).collect();
    members.sort_by(|one, other| (&one.1, &one.0).cmp(&(&other.1, &other.0)));
    members
}

/// Shows the form for an element of a report.
pub(super) async fn form(team: &InTeam<'_, '_>, check: &str, number: &str) -> Result<Response, PageError> {
    let own = team.visit.signed_in.person.id.to_string();
    let entered = AssignmentInput { assignee: own, ..AssignmentInput::default() };
    show_form(team, check, number, entered, FormErrors::default()).await
}

async fn show_form(
    team: &InTeam<'_, '_>,
    check: &str,
    number: &str,
    entered: AssignmentInput,
    errors: FormErrors,
) -> Result<Response, PageError> {
    let (check, number) = (ScanId::presented(check), number.parse().map_err(|_| PageError::NotFound)?);
    let element = team.handle().element_to_judge(check, number).await?;
    if element.subject != Subject::Finding {
        return Err(PageError::NotFound);
    }
    let words = team.words();
    let shell = team.shell(Section::Work, &words.work.assign_title).with_errors(errors);
    let (names, today) = (names(team).await?, team.visit.signed_in.at.date_naive());
    let template = AssignPage {
        action: format!("{}/checks/{check}/elements/{number}/assign", shell.team_root()),
        back: format!("{}/checks/{check}#{}", shell.team_root(), element.rule),
        back_name: &words.judge.back,
        rule: title_of(element.rule.as_str(), &shell),
        page: element.page,
        selector: element.selector,
        html: element.html,
        reach: Some((element.alike, element.of_rule)),
        members: choice(&names, &entered.assignee),
        work: element.assignment.as_ref().map(|one| Work::of(one, &names, today, words)),
        made: None,
        entered,
        shell,
    };
    form_page(&template, &template.shell)
}

pub(super) async fn assign(team: &InTeam<'_, '_>, check: &str, number: &str) -> Result<Response, PageError> {
    let entered = entered(team);
    let element = number.parse().map_err(|_| PageError::NotFound)?;
    match team.people()?.assign(ScanId::presented(check), element, &entered).await {
        Ok(made) => {
            let below = format!("/checks/{}", ScanId::presented(check));
            Ok(team.done_at(&below, "work-saved", made.element.rule.as_str()))
        }
        Err(error @ (Error::Invalid(_) | Error::TooManyAssignments)) => {
            let errors = FormErrors::of_refusal(error, "assignee", team.words())?;
            show_form(team, check, number, entered, errors).await
        }
        Err(error) => Err(error.into()),
    }
}

/// Shows an assignment as it is, to be changed.
pub(super) async fn edit(team: &InTeam<'_, '_>, id: &str) -> Result<Response, PageError> {
    let assignment = team.handle().assignment(AssignmentId::presented(id)).await?;
    let entered = AssignmentInput {
        assignee: assignment.assignee.map(|person| person.to_string()).unwrap_or_default(),
        state: assignment.state.to_string(),
        due: assignment.due.map(|day| day.to_string()).unwrap_or_default(),
        scope: String::new(),
    };
    show_edit(team, &assignment, entered, FormErrors::default()).await
}

async fn show_edit(
    team: &InTeam<'_, '_>,
    assignment: &Assignment,
    entered: AssignmentInput,
    errors: FormErrors,
) -> Result<Response, PageError> {
    let words = team.words();
    let shell = team.shell(Section::Work, &words.work.change_title).with_errors(errors);
    let (names, today) = (names(team).await?, team.visit.signed_in.at.date_naive());
    let element = assignment.element.clone();
    let template = AssignPage {
        action: format!("{}/work/{}", shell.team_root(), assignment.id),
        back: format!("{}/work", shell.team_root()),
        back_name: &words.work.title,
        rule: title_of(element.rule.as_str(), &shell),
        page: element.page,
        selector: element.selector,
        html: element.html,
        reach: None,
        members: choice(&names, &entered.assignee),
        work: Some(Work::of(assignment, &names, today, words)),
        made: Some((assignment.author.clone(), Instant::of(assignment.at))),
        entered,
        shell,
    };
    form_page(&template, &template.shell)
}

pub(super) async fn change(team: &InTeam<'_, '_>, id: &str) -> Result<Response, PageError> {
    let (id, entered) = (AssignmentId::presented(id), entered(team));
    match team.people()?.change_assignment(id, &entered).await {
        Ok(_) => Ok(team.done("/work", "work-saved")),
        Err(error @ Error::Invalid(_)) => {
            let assignment = team.handle().assignment(id).await?;
            let errors = FormErrors::of_refusal(error, "assignee", team.words())?;
            show_edit(team, &assignment, entered, errors).await
        }
        Err(error) => Err(error.into()),
    }
}

pub(super) async fn remove(team: &InTeam<'_, '_>, id: &str) -> Result<Response, PageError> {
    team.people()?.remove_assignment(AssignmentId::presented(id)).await?;
    Ok(team.done("/work", "work-removed"))
}

fn entered(team: &InTeam<'_, '_>) -> AssignmentInput {
    let form = team.form();
    AssignmentInput {
        assignee: form.get("assignee").to_owned(),
        state: form.get("state").to_owned(),
        due: form.get("due").to_owned(),
        scope: form.get("scope").to_owned(),
    }
}

fn title_of(rule: &str, shell: &Shell) -> String {
    card(rule, shell.locale).map_or(rule, |card| card.title).to_owned()
}
