//! What people decided about the elements of a site, as it is read.

use std::collections::BTreeMap;

use super::{ScanFiles, Service, TeamHandle};
use crate::{
    domain::{
        Ability, AssignedElements, Assignment, Findings, Judged, Judgement, JudgementState, NewAuditRecord, RuleId,
        Subject, is_stale, judged, judged_by,
    },
    error::Error,
    id::{JudgementId, ScanId, SiteId, TeamId},
    locale::Locale,
    paging::{Page, PageRequest},
    ranking::Extract,
    report::Report,
};

/// The report of a check, with what people decided about its elements.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ReviewedReport {
    /// The report, in which accepted elements are marked. No number of it depends on them.
    pub report: Report,
    /// The judgements of the site, the newest first.
    pub judgements: Vec<Judgement>,
    /// Their relation to the elements of the check.
    pub judged: Judged,
    /// The number of undecided elements that are kept, by rule, about which a person has decided.
    pub decided: BTreeMap<RuleId, u64>,
    /// The assignments of the site.
    pub assignments: Vec<Assignment>,
    /// Their relation to the elements of the check.
    pub assigned: AssignedElements,
}

impl ReviewedReport {
    /// Returns the judgement about the element with this number within the check, and whether it holds or is to be decided again.
    pub fn about(&self, number: u64) -> Option<(&Judgement, JudgementState)> {
        let (index, state) = self.judged.about(number)?;
        Some((self.judgements.get(index)?, state))
    }

    /// Returns the assignment about the element with this number within the check, which a rule found.
    pub fn assignment(&self, number: u64, rule: &RuleId) -> Option<&Assignment> {
        self.assignments.get(self.assigned.about(number, rule)?)
    }
}

/// An element of a check that a person may judge.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ElementToJudge {
    /// The site.
    pub site: SiteId,
    /// The rule.
    pub rule: RuleId,
    /// The kind of the element: it fails, or no program could decide about it.
    pub subject: Subject,
    /// The address of the page. Hostile text, as are the next two.
    pub page: String,
    /// The selector.
    pub selector: String,
    /// The source.
    pub html: String,
    /// The number of elements of the check that the same template repeats, this one included.
    pub alike: u64,
    /// The number of elements of the check that the same rule found, this one included.
    pub of_rule: u64,
    /// The judgement about it, and whether it still holds or is to be decided again.
    pub judgement: Option<(Judgement, JudgementState)>,
    /// The assignment about it, or about its template or rule.
    pub assignment: Option<Assignment>,
}

/// A judgement in the list of its site.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ListedJudgement {
    /// The judgement.
    pub judgement: Judgement,
    /// Its relation to the latest completed check; `None` before there is one.
    pub state: Option<JudgementState>,
    /// True if it matches nothing in the latest checks that looked, and can go.
    pub is_stale: bool,
}

/// The judgements of a site.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SiteJudgements {
    /// A page of them, the newest first.
    pub page: Page<ListedJudgement>,
    /// The number of stale ones among all.
    pub stale: u64,
}

impl TeamHandle {
    /// Returns whether findings may be judged: the service keeps judgements, and the handle has the right.
    pub fn judges(&self) -> bool {
        self.has_right_to_judge() && self.service().parts().judgements.is_some()
    }

    /// Returns the report of a completed check with what people decided about its elements.
    ///
    /// # Errors
    /// Returns those of [`report`](Self::report).
    pub async fn reviewed_report(
        &self,
        scan: ScanId,
        locale: impl Into<Option<Locale>> + Send,
    ) -> Result<ReviewedReport, Error> {
        let locale = locale.into();
        self.files_of(scan).await?.reviewed_report(locale).await
    }

    /// Returns an element of a completed check by its number, for whoever is about to judge it.
    ///
    /// # Errors
    /// Returns [`Error::MissingAbility`] without `read`, [`Error::NotFound`] if there is no such check or element,
    /// [`Error::NotCompleted`], and those of [every call](TeamHandle#errors).
    pub async fn element_to_judge(&self, scan: ScanId, number: u64) -> Result<ElementToJudge, Error> {
        let scan = self.scan(scan).await?;
        if scan.outcome().is_none() {
            return Err(Error::NotCompleted);
        }
        let service = self.service();
        let open = service.store().open_findings(self.id(), scan.id).await?.ok_or(Error::NotFound)?;
        let finding = open.element(number).await?.ok_or(Error::NotFound)?;
        let extract = open.extract();
        let subject = if number <= extract.failing() { Subject::Finding } else { Subject::Undecided };
        let (judgements, judged) = service.joined_to(self.id(), scan.site, extract).await?;
        let (assignments, assigned) = service.assigned(self.id(), scan.site, extract).await?;
        let assignment = match subject {
            Subject::Finding => assigned.about(number, &finding.rule).and_then(|index| assignments.get(index).cloned()),
            Subject::Undecided | Subject::Unknown => None,
        };
        let page = extract.rest().pages.get(finding.page);
        Ok(ElementToJudge {
            site: scan.site,
            subject,
            page: page.map_or_else(String::new, |page| page.url.clone()),
            alike: extract.traces().alike(number),
            of_rule: extract.of_rule(&finding.rule, number),
            rule: finding.rule,
            selector: finding.selector,
            html: finding.html,
            judgement: judged.about(number).and_then(|(index, state)| Some((judgements.get(index)?.clone(), state))),
            assignment,
        })
    }

    /// Returns the judgements of a site, the newest first, with how they relate to its latest checks.
    ///
    /// # Errors
    /// Returns [`Error::MissingAbility`] without `read`, [`Error::NotFound`] if the team has no such site, and those of
    /// [every call](TeamHandle#errors).
    pub async fn judgements(&self, site: SiteId, page: PageRequest) -> Result<SiteJudgements, Error> {
        self.may(Ability::Read).await?;
        self.service().store().site(self.id(), site).await?.ok_or(Error::NotFound)?;
        let listed = self.service().listed_judgements(self.id(), site).await?;
        let stale = listed.iter().filter(|one| one.is_stale).count() as u64;
        Ok(SiteJudgements { page: Page::cut(listed.into_iter(), page), stale })
    }
}

impl ScanFiles {
    /// Returns the report with what people decided about its elements.
    ///
    /// # Errors
    /// Those of [`report`](Self::report).
    pub async fn reviewed_report(&self, locale: Option<Locale>) -> Result<ReviewedReport, Error> {
        let (report, open, (judgements, judged)) = self.service.reviewed(self.team.id, &self.scan, locale).await?;
        let mut decided: BTreeMap<RuleId, u64> = BTreeMap::new();
        for (number, finding) in open.extract().undecided() {
            if judged.is_decided(number, &judgements) {
                *decided.entry(finding.rule.clone()).or_default() += 1;
            }
        }
        let (assignments, assigned) = self.service.assigned(self.team.id, self.scan.site, open.extract()).await?;
        Ok(ReviewedReport { report, judgements, judged, decided, assignments, assigned })
    }
}

/// Judgements, joined to a check.
pub(super) type Joined = (Vec<Judgement>, Judged);

impl Service {
    /// The most checks that are looked at to find out whether a judgement is stale.
    const LOOK_BACK: u32 = 6;

    /// Returns the judgements of a site, joined to what a check found; none where the service keeps none.
    pub(super) async fn joined(&self, team: TeamId, site: SiteId, findings: &Findings) -> Result<Joined, Error> {
        let Some(store) = &self.parts().judgements else { return Ok(Joined::default()) };
        let judgements = store.all_judgements(team, site).await?;
        let today = self.store().now().await?.date_naive();
        let judged = judged(findings, &judgements, today);
        Ok((judgements, judged))
    }

    /// Returns the same from the extract of what the check found.
    pub(super) async fn joined_to(&self, team: TeamId, site: SiteId, extract: &Extract) -> Result<Joined, Error> {
        let Some(store) = &self.parts().judgements else { return Ok(Joined::default()) };
        let judgements = store.all_judgements(team, site).await?;
        let today = self.store().now().await?.date_naive();
        let judged = judged_by(extract.traces(), extract.rest(), &judgements, today);
        Ok((judgements, judged))
    }

    /// Returns what tells all that is accepted or decided of a site today from what was so at another time: judgements are never changed.
    #[cfg(feature = "pdf")]
    pub(super) async fn decided(&self, team: TeamId, site: SiteId) -> Result<String, Error> {
        let Some(store) = &self.parts().judgements else { return Ok(String::new()) };
        let judgements = store.all_judgements(team, site).await?;
        if judgements.is_empty() {
            return Ok(String::new());
        }
        let today = self.store().now().await?.date_naive();
        let shown =
            judgements.iter().filter(|judgement| judgement.verdict.accepts().is_some() || judgement.verdict.decides());
        Ok(shown.filter(|judgement| !judgement.is_expired(today)).map(|judgement| judgement.id.to_string()).collect())
    }

    async fn listed_judgements(&self, team: TeamId, site: SiteId) -> Result<Vec<ListedJudgement>, Error> {
        let Some(store) = &self.parts().judgements else { return Ok(Vec::new()) };
        let judgements = store.all_judgements(team, site).await?;
        let mut states: Vec<Vec<JudgementState>> = vec![Vec::new(); judgements.len()];
        let latest = if judgements.is_empty() { None } else { self.store().latest_completed(team, site).await? };
        if let Some(latest) = latest {
            let today = self.store().now().await?.date_naive();
            let checks = self.store().trend(team, latest.id, Self::LOOK_BACK).await?;
            for check in checks.iter().rev() {
                // One whose findings were purged says nothing.
                let Some(open) = self.store().open_findings(team, check.id).await? else { continue };
                let judged = judged_by(open.extract().traces(), open.extract().rest(), &judgements, today);
                for (of_one, state) in states.iter_mut().zip(judged.states()) {
                    of_one.push(*state);
                }
                // Whatever matches something now is not stale, and needs no earlier check.
                let is_open = |states: &Vec<JudgementState>| {
                    !is_stale(states.iter().copied())
                        && states.iter().all(|state| matches!(state, JudgementState::Gone | JudgementState::NotSeen))
                };
                if !states.iter().any(is_open) {
                    break;
                }
            }
        }
        let listed = judgements.into_iter().zip(states).map(|(judgement, states)| ListedJudgement {
            judgement,
            state: states.first().copied(),
            is_stale: is_stale(states),
        });
        Ok(listed.collect())
    }

    /// Removes what is stale of a site, each with the entry of the audit log that `note` makes of it; returns how many there were.
    pub(super) async fn remove_stale(
        &self,
        team: TeamId,
        site: SiteId,
        note: impl Fn(&Judgement) -> NewAuditRecord + Send,
    ) -> Result<u64, Error> {
        let Some(store) = &self.parts().judgements else { return Ok(0) };
        let mut removed = 0;
        for ListedJudgement { judgement, is_stale, .. } in self.listed_judgements(team, site).await? {
            if is_stale && store.remove_judgement(team, site, judgement.id, note(&judgement)).await? {
                removed += 1;
            }
        }
        Ok(removed)
    }

    /// Returns a judgement of a site.
    pub(super) async fn judgement(&self, team: TeamId, site: SiteId, id: JudgementId) -> Result<Judgement, Error> {
        let store = self.parts().judgements.as_deref().ok_or(Error::NotFound)?;
        let all = store.all_judgements(team, site).await?;
        all.into_iter().find(|judgement| judgement.id == id).ok_or(Error::NotFound)
    }
}

/// Returns what the element with this number is, and all elements of its kind.
pub(super) fn pool(findings: &Findings, number: u64) -> (Subject, &[crate::domain::Finding]) {
    if number <= findings.items.len() as u64 {
        (Subject::Finding, &findings.items)
    } else {
        (Subject::Undecided, &findings.undecided)
    }
}
