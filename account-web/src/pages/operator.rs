//! The operator's pages: teams, people, and the work that waits.

use a11ycheck_core::{
    Error,
    domain::{
        AuditAction, EndpointStatus, Mail, MailKind, MailState, Person, Plan, PlanCode, Role, ScanState, Team,
        WebhookEndpoint,
    },
    id::TeamId,
    paging::PageRequest,
    service::{Backlog, DeliveryBacklog, MailBacklog, OperatedTeam, RunningCheck, TeamInput},
};
use askama::Template;

use super::{
    context::{Context, form_page, page},
    error::PageError,
    list::Paging,
};
use crate::{
    form_errors::FormErrors,
    installation::Installation,
    response::Response,
    shell::{Section, Shell},
    time::{Instant, clock},
    words::Words,
};

/// The entries of the form, with what was wrong with it.
#[derive(Debug, Default)]
pub(super) struct Entered {
    name: String,
    errors: FormErrors,
}

#[derive(Template)]
#[template(path = "operator.html")]
struct OperatorPage {
    shell: Shell,
    teams: Vec<Team>,
    paging: Paging,
    plans: Vec<Plan>,
    name: String,
    backlog: Backlog,
    deliveries: DeliveryBacklog,
    running: Vec<RunningRow>,
    off: Vec<OffRow>,
    /// `None` where no mail is sent.
    mail: Option<MailBox>,
    runs: [(&'static str, Option<Instant>); 2],
    versions: Vec<(String, String)>,
    settings: Vec<(String, String)>,
}

/// A check that is running.
struct RunningRow {
    team: String,
    scan: String,
    begun: Instant,
    attempt: u32,
    pages: String,
    is_stuck: bool,
}

/// An endpoint that is switched off.
struct OffRow {
    team: String,
    url: String,
    since: Instant,
}

/// The mail that waits, and what failed.
struct MailBox {
    waiting: u64,
    oldest: String,
    failed: Vec<FailedMail>,
}

/// A mail that could not be sent.
struct FailedMail {
    to: String,
    kind: &'static str,
    at: Instant,
    /// The answer of the mail server: hostile text.
    reason: String,
}

impl MailBox {
    fn of(backlog: MailBacklog, words: &'static Words) -> Self {
        let failed = backlog.failed.into_iter().filter_map(|mail| failed_mail(mail, words)).collect();
        Self { waiting: backlog.waiting, oldest: clock(backlog.oldest), failed }
    }
}

fn failed_mail(mail: Mail, words: &'static Words) -> Option<FailedMail> {
    let MailState::Failed { finished_at, reason, .. } = mail.state else { return None };
    let kind = match mail.subject.kind() {
        MailKind::Invitation => words.operator.mail_invitation.as_str(),
        MailKind::PasswordReset => &words.operator.mail_reset,
        MailKind::CheckFailed => &words.operator.mail_check_failed,
        MailKind::EndpointOff => &words.operator.mail_endpoint_off,
        _ => "–",
    };
    Some(FailedMail { to: mail.to.to_string(), kind, at: Instant::of(finished_at), reason })
}

impl OperatorPage {
    fn queues(&self) -> [(&'static str, u64, String); 2] {
        let words = &self.shell.words.operator;
        let row =
            |name: &'static str, queue: &a11ycheck_core::service::Queue| (name, queue.waiting, clock(queue.oldest));
        [row(&words.requested, &self.backlog.requested), row(&words.scheduled, &self.backlog.scheduled)]
    }

    fn stuck_text(&self) -> String {
        let words = &self.shell.words.operator;
        self.shell.filled(&words.stuck_text, "hours", ScanState::REMARKABLE.num_hours())
    }

    fn oldest_delivery(&self) -> String {
        clock(self.deliveries.oldest)
    }
}

#[derive(Template)]
#[template(path = "operator-team.html")]
struct OperatedTeamPage {
    shell: Shell,
    team: Team,
    plans: Vec<Plan>,
    created: Instant,
}

#[derive(Template)]
#[template(path = "people.html")]
struct PeoplePage {
    shell: Shell,
    people: Vec<Person>,
    paging: Paging,
}

impl PeoplePage {
    fn since(&self, person: &Person) -> Instant {
        Instant::of(person.created_at)
    }
}

pub(super) async fn show(context: &Context<'_>, entered: Entered) -> Result<Response, PageError> {
    let operator = context.parts.service.operator();
    let teams = operator.teams(context.page(PageRequest::MAX_PER_PAGE / 2)).await?;
    let (plans, backlog, deliveries) =
        (operator.plans().await?, operator.backlog().await?, operator.delivery_backlog().await?);
    let running = operator.running_checks().await?.iter().filter_map(running).collect();
    let off = operator.endpoints_off().await?.iter().filter_map(off).collect();
    let backlog_of_mail = if context.parts.people.sends_mail().await? { operator.mail_backlog().await? } else { None };
    let mail = backlog_of_mail.map(|backlog| MailBox::of(backlog, context.words()));
    let (runs, words) = (operator.last_runs(), &context.words().operator);
    let runs = [(words.last_schedule.as_str(), runs.scheduler), (&words.last_purge, runs.purge)]
        .map(|(name, at)| (name, at.map(Instant::of)));
    let Installation { versions, settings, .. } = context.parts.installation.get().cloned().unwrap_or_default();
    let own = ("a11ycheck".to_owned(), env!("CARGO_PKG_VERSION").to_owned());
    let Entered { name, errors } = entered;
    let shell = context.shell(Section::Operator, &words.title).with_errors(errors);
    let template = OperatorPage {
        shell,
        paging: Paging::of(&teams, &[]),
        teams: teams.items,
        plans,
        name,
        backlog,
        deliveries,
        running,
        off,
        mail,
        runs,
        versions: std::iter::once(own).chain(versions).collect(),
        settings,
    };
    form_page(&template, &template.shell)
}

fn running(check: &RunningCheck) -> Option<RunningRow> {
    let ScanState::Running { attempt, started_at, pages_scanned, pages_found, .. } = check.scan.state else {
        return None;
    };
    Some(RunningRow {
        team: check.scan.team.to_string(),
        scan: check.scan.id.to_string(),
        begun: Instant::of(started_at),
        attempt,
        pages: format!("{pages_scanned} / {pages_found}"),
        is_stuck: check.is_stuck,
    })
}

fn off(endpoint: &WebhookEndpoint) -> Option<OffRow> {
    let EndpointStatus::Off { since } = endpoint.status else { return None };
    let url = endpoint.details.url.as_str().to_owned();
    Some(OffRow { team: endpoint.team.to_string(), url, since: Instant::of(since) })
}

/// Creates a team, and makes the operator its owner if that is wanted.
pub(super) async fn create_team(context: &Context<'_>) -> Result<Response, PageError> {
    let (form, words) = (context.form(), context.words());
    let name = form.get("name").to_owned();
    let refused = |errors| Entered { name: name.clone(), errors };
    let input = TeamInput::new(name.clone(), PlanCode::new(form.get("plan")));
    let team = match context.parts.service.operator().create_team(input).await {
        Ok(team) => team,
        Err(error) => {
            let field = if matches!(error, Error::NoPlan(_)) { "plan" } else { "name" };
            return show(context, refused(FormErrors::of_refusal(error, field, words)?)).await;
        }
    };
    let operated = context.parts.service.operator().team(team.id).await?;
    note(context, &operated, AuditAction::TeamCreated, &team.name).await?;
    if form.has("own") {
        let person = &context.signed_in()?.person;
        context.parts.people.of_team(operated.handle(), context.actor()?).add_member(person, Role::Owner).await?;
    }
    Ok(context.to(&format!("/operator/teams/{}?done=team-created", team.id)))
}

pub(super) async fn team(context: &Context<'_>, id: &str, errors: FormErrors) -> Result<Response, PageError> {
    let operator = context.parts.service.operator();
    let team = operator.team(TeamId::presented(id)).await?.read().await?;
    let plans = operator.plans().await?;
    let shell = context.shell(Section::Operator, &team.name).with_errors(errors);
    let template = OperatedTeamPage { shell, created: Instant::of(team.created_at), team, plans };
    form_page(&template, &template.shell)
}

/// Notes in the team's audit log what was just done. It has been done, whatever becomes of the note: a failure is logged.
async fn note(
    context: &Context<'_>,
    operated: &OperatedTeam,
    action: AuditAction,
    subject: &str,
) -> Result<(), PageError> {
    let people = context.parts.people.of_team(operated.handle(), context.actor()?);
    if let Err(error) = people.record(action, subject).await {
        let error = &error as &dyn std::error::Error;
        tracing::error!(
            error,
            action = action.as_str(),
            subject,
            "Something that was done could not be noted in the audit log"
        );
    }
    Ok(())
}

pub(super) async fn change_plan(context: &Context<'_>, id: &str) -> Result<Response, PageError> {
    let operated = context.parts.service.operator().team(TeamId::presented(id)).await?;
    let subscription = operated.read().await?.subscription;
    match operated.change_plan(&PlanCode::new(context.form().get("plan")), subscription).await {
        Ok(_) => {
            note(context, &operated, AuditAction::PlanChanged, context.form().get("plan")).await?;
            Ok(context.to(&format!("/operator/teams/{id}?done=plan-changed")))
        }
        Err(error) => team(context, id, FormErrors::of_refusal(error, "plan", context.words())?).await,
    }
}

pub(super) async fn block(context: &Context<'_>, id: &str) -> Result<Response, PageError> {
    let operated = context.parts.service.operator().team(TeamId::presented(id)).await?;
    operated.block().await?;
    note(context, &operated, AuditAction::TeamBlocked, "").await?;
    Ok(context.to(&format!("/operator/teams/{id}?done=team-blocked")))
}

pub(super) async fn unblock(context: &Context<'_>, id: &str) -> Result<Response, PageError> {
    let operated = context.parts.service.operator().team(TeamId::presented(id)).await?;
    operated.unblock().await?;
    note(context, &operated, AuditAction::TeamUnblocked, "").await?;
    Ok(context.to(&format!("/operator/teams/{id}?done=team-unblocked")))
}

pub(super) async fn people(context: &Context<'_>) -> Result<Response, PageError> {
    let people = context.parts.people.persons(context.page(PageRequest::MAX_PER_PAGE / 2)).await?;
    let shell = context.shell(Section::Operator, &context.words().operator.people_title);
    let paging = Paging::of(&people, &[]);
    page(&PeoplePage { shell, people: people.items, paging })
}
