//! What a person decides about the elements of a check.

use super::OfTeam;
use crate::{
    domain::{AuditAction, Batch, Finding, JudgedElement, Judgement, JudgementInput, NewJudgement, Reach, bounded},
    error::Error,
    id::{JudgementId, ScanId, SiteId},
    service::{Chosen, judgements::pool},
    store::ReviewStore,
};

impl OfTeam {
    /// Judges the element with this number of a completed check: in place of the judgement that was about it. Who may start checks may
    /// judge.
    ///
    /// # Errors
    /// Returns [`Error::MayNotJudge`]; [`Error::NotFound`] if there is no such check or element, or the service keeps no judgements;
    /// [`Error::NotCompleted`]; [`Error::Invalid`] with the problems of what was entered; [`Error::TooManyJudgements`], and those of
    /// [every call](crate::service::TeamHandle#errors).
    pub async fn judge(&self, scan: ScanId, number: u64, input: &JudgementInput) -> Result<Judgement, Error> {
        self.team.may_judge().await?;
        let reviews = self.reviews()?;
        let (service, team) = (self.team.service(), self.team.id());
        let scan = service.store().scan(team, scan).await?.ok_or(Error::NotFound)?;
        if scan.outcome().is_none() {
            return Err(Error::NotCompleted);
        }
        let findings = service.store().findings(team, scan.id).await?.ok_or(Error::NotFound)?;
        let finding = findings.numbered(number).ok_or(Error::NotFound)?;
        let (subject, of_kind) = pool(&findings, number);
        let today = service.store().now().await?.date_naive();
        let decision = input.read(subject, today)?;
        let page = findings.pages.get(finding.page).map_or("", |page| &page.url);
        let element = JudgedElement::of(finding, page, occurrence(of_kind, finding));
        let (judgements, judged) = service.joined(team, scan.site, &findings).await?;
        let before = judged.holding(number).or_else(|| judged.reopened(number)).and_then(|index| judgements.get(index));
        // One about a template is about others as well, and stays where only one of them is decided otherwise.
        let instead_of = before.filter(|before| before.reach == Reach::Element || decision.reach != Reach::Element);
        let note = self.note(AuditAction::ElementJudged, &described(&element, decision.verdict.as_str()));
        let judgement = NewJudgement {
            id: JudgementId::generate(service.parts().clock.now()),
            element,
            decision,
            person: self.actor.id(),
            author: bounded(self.actor.shown(), Judgement::MAX_AUTHOR),
        };
        let instead_of = instead_of.map(|judgement| judgement.id);
        Ok(reviews.put_judgement(team, scan.site, judgement, instead_of, note).await?)
    }

    /// Judges everything that the rule of the element with this number found in a completed check: the elements of each template, at once.
    /// The reach that was entered plays no part. What was decided about single elements stays.
    ///
    /// # Errors
    /// Those of [`judge_many`](Self::judge_many).
    pub async fn judge_rule(&self, scan: ScanId, number: u64, input: &JudgementInput) -> Result<Batch, Error> {
        let input = JudgementInput { reach: Reach::Template.as_str().to_owned(), ..input.clone() };
        self.judge_many(scan, &Chosen::OfRule(number), &input).await
    }

    /// Takes a judgement back.
    ///
    /// # Errors
    /// Returns [`Error::MayNotJudge`], [`Error::NotFound`] if the site has no such judgement, and those of
    /// [every call](crate::service::TeamHandle#errors).
    pub async fn undo_judgement(&self, site: SiteId, judgement: JudgementId) -> Result<Judgement, Error> {
        self.team.may_judge().await?;
        let (reviews, team) = (self.reviews()?, self.team.id());
        let undone = self.team.service().judgement(team, site, judgement).await?;
        let is_undone = reviews.remove_judgement(team, site, judgement, self.undoing(&undone)).await?;
        if is_undone { Ok(undone) } else { Err(Error::NotFound) }
    }

    /// Takes back all judgements of a site that match nothing in its latest checks, and returns how many there were.
    ///
    /// # Errors
    /// Returns [`Error::MayNotJudge`], [`Error::NotFound`] if the team has no such site, and those of
    /// [every call](crate::service::TeamHandle#errors).
    pub async fn undo_stale_judgements(&self, site: SiteId) -> Result<u64, Error> {
        self.team.may_judge().await?;
        let (service, team) = (self.team.service(), self.team.id());
        service.store().site(team, site).await?.ok_or(Error::NotFound)?;
        service.remove_stale(team, site, |judgement| self.undoing(judgement)).await
    }

    fn undoing(&self, judgement: &Judgement) -> crate::domain::NewAuditRecord {
        self.note(AuditAction::JudgementUndone, &described(&judgement.element, judgement.verdict.as_str()))
    }

    fn reviews(&self) -> Result<&dyn ReviewStore, Error> {
        self.team.service().parts().judgements.as_deref().ok_or(Error::NotFound)
    }
}

/// Returns the number of elements of the same kind before this one that have the same keys.
pub(super) fn occurrence(of_kind: &[Finding], finding: &Finding) -> u32 {
    let (keys, before) = (&finding.fingerprint, of_kind.iter().take_while(|other| !std::ptr::eq(*other, finding)));
    let same =
        before.filter(|other| (&other.fingerprint.tight, &other.fingerprint.loose) == (&keys.tight, &keys.loose));
    u32::try_from(same.count()).unwrap_or(u32::MAX)
}

/// Returns an element and what was decided about it, for the audit log.
fn described(element: &JudgedElement, verdict: &str) -> String {
    let JudgedElement { rule, page, selector, .. } = element;
    format!("{verdict}: {} {page} {selector}", rule.as_str())
}
