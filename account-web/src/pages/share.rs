//! Sharing one report with whoever has a link, and what such a person sees.

use a11ycheck_core::{
    Error,
    domain::{SharedReport, Sharing},
    id::{ScanId, ShareId},
    report::{Group, Report, ToCheck, brief::Opening},
    service::SharedView,
};
use askama::Template;

use super::{
    context::{Context, InTeam, form_page},
    error::PageError,
};
use crate::{
    form_errors::FormErrors,
    markup::{Piece, paragraphs, pieces},
    response::Response,
    shell::{Section, Shell},
    time::Instant,
};

/// The days for which a link may be valid, as the form offers them.
const DAYS: [u32; 3] = [7, 30, 90];

#[derive(Template)]
#[template(path = "share.html")]
struct SharePage {
    shell: Shell,
    check: String,
    sharing: Sharing,
    links: Vec<SharedReport>,
    /// A link that was just made, which is shown this once.
    made: Option<String>,
    days: [u32; 3],
}

impl SharePage {
    fn until(&self, link: &SharedReport) -> Instant {
        Instant::of(link.ends_at)
    }
}

#[derive(Template)]
#[template(path = "shared-report.html")]
struct SharedPage {
    shell: Shell,
    site: String,
    opening: Opening,
    report: Report,
    until: Instant,
}

impl SharedPage {
    fn pieces(&self, text: &str) -> Vec<Piece> {
        pieces(text)
    }

    fn paragraphs(&self, text: &str) -> Vec<Vec<Piece>> {
        paragraphs(text)
    }

    fn severity(&self, group: &Group) -> &str {
        self.shell.terms.severity(group.severity)
    }

    fn rule_line(&self, group: &Group) -> String {
        let terms = self.shell.terms;
        format!("{}, {}", terms.counted(&terms.count.element, group.count), terms.counted(&terms.count.place, group.n))
    }

    fn elements(&self, rule: &ToCheck) -> String {
        self.shell.terms.counted(&self.shell.terms.count.element, rule.count)
    }

    /// Returns the groups under their headings: problems, then recommendations.
    fn parts(&self) -> [(&'static str, &[Group]); 2] {
        let words = &self.shell.words.check;
        [(words.rules_title.as_str(), &self.report.groups), (&words.recommendations_title, &self.report.advisory)]
    }
}

/// Shows the links to the report of a check.
pub(super) async fn form(team: &InTeam<'_, '_>, id: &str) -> Result<Response, PageError> {
    show(team, id, None, FormErrors::default()).await
}

async fn show(
    team: &InTeam<'_, '_>,
    id: &str,
    made: Option<String>,
    errors: FormErrors,
) -> Result<Response, PageError> {
    let scan = team.handle().scan(ScanId::presented(id)).await?;
    if scan.outcome().is_none() {
        return Err(PageError::NotFound);
    }
    let people = team.people()?;
    let (sharing, links) = (people.sharing().await?, people.shared_reports(scan.id).await?);
    let shell = team.shell(Section::Sites, &team.words().share.title).with_errors(errors);
    let template = SharePage { shell, check: scan.id.to_string(), sharing, links, made, days: DAYS };
    form_page(&template, &template.shell)
}

/// Makes a link, and shows it this once.
pub(super) async fn share(team: &InTeam<'_, '_>, id: &str) -> Result<Response, PageError> {
    let chosen = team.form().get("days").parse().ok().filter(|days| DAYS.contains(days));
    let Some(days) = chosen else {
        let errors = FormErrors::one("days", &team.words().problems.not_in_list);
        return show(team, id, None, errors).await;
    };
    match team.people()?.share_report(ScanId::presented(id), days).await {
        Ok((_, secret)) => {
            let link = team.context.parts.places.absolute(&format!("/shared?key={}", secret.reveal()));
            show(team, id, Some(link), FormErrors::default()).await
        }
        Err(Error::TooManyShares) => {
            let text = &team.words().problems.too_many_shares;
            let mut errors = FormErrors::default();
            errors.add_filled("days", text, &[("most", SharedReport::MOST.to_string())]);
            show(team, id, None, errors).await
        }
        Err(error) => Err(error.into()),
    }
}

/// Withdraws a link.
pub(super) async fn revoke(team: &InTeam<'_, '_>, id: &str, link: &str) -> Result<Response, PageError> {
    team.people()?.revoke_shared_report(ShareId::presented(link)).await?;
    Ok(team.done(&format!("/checks/{}/share", ScanId::presented(id)), "share-revoked"))
}

/// Switches sharing on or off for the team.
pub(super) async fn set_sharing(team: &InTeam<'_, '_>, id: &str) -> Result<Response, PageError> {
    team.people()?.set_sharing(Sharing::from_flag(team.form().has("on"))).await?;
    Ok(team.done(&format!("/checks/{}/share", ScanId::presented(id)), "sharing-saved"))
}

/// Shows a report to whoever has its link: the report and nothing else, whoever is signed in.
pub(super) async fn shared(context: &Context<'_>) -> Result<Response, PageError> {
    let key = context.request.key();
    let SharedView { link, site, report, .. } = context.parts.people.shared_report(&key, context.locale).await?;
    let name = site.details.display_name().to_owned();
    let mut shell = context.shell(Section::Outside, &name);
    (shell.person, shell.notice) = (None, None);
    let template =
        SharedPage { shell, site: name, opening: Opening::new(&report), report, until: Instant::of(link.ends_at) };
    Ok(super::context::page(&template)?.unlisted())
}
