//! What a person decides about many elements of a check at once, and undoes.

use std::collections::{BTreeSet, HashMap};

use super::OfTeam;
use crate::{
    domain::{
        AssignmentInput, AuditAction, Batch, Finding, Findings, JudgedElement, Judgement, JudgementInput,
        NewAssignment, NewJudgement, Reach, Subject, Undone, WorkScope, bounded,
    },
    error::Error,
    id::{AssignmentId, BatchId, JudgementId, ScanId},
    service::{batches::Chosen, judgements::Joined},
    store::ReviewStore,
};

impl OfTeam {
    /// Judges many elements of a completed check at once: those that are chosen, or, by the reach that is entered, all that their
    /// templates repeat. One entry of the audit log is added, and all of it can be [undone](Self::undo_batch) for [`Batch::TERM`].
    /// Who may start checks may judge.
    ///
    /// # Errors
    /// Those of [`judge`](Self::judge); [`Error::Invalid`] with a problem of the field `element` where nothing is chosen, or more than
    /// [`Batch::MOST`].
    pub async fn judge_many(&self, scan: ScanId, chosen: &Chosen, input: &JudgementInput) -> Result<Batch, Error> {
        let (store, check, joined) = self.checked(scan).await?;
        let found = chosen.of(&check.findings, &joined)?;
        let decision = input.read(found.subject, self.today().await?)?;
        let (judgements, judged) = &joined;
        let mut templates = BTreeSet::new();
        let occurrences = occurrences(found.of_kind(&check.findings));
        let mut new = Vec::with_capacity(found.numbers.len());
        for number in &found.numbers {
            let Some(finding) = check.findings.numbered(*number) else { continue };
            let is_template = decision.reach == Reach::Template;
            if is_template && !templates.insert(&finding.fingerprint.template) {
                continue;
            }
            // One about a template is about others as well, and stays, as does one about an element where its template is judged.
            let before = judged.about(*number).and_then(|(index, _)| judgements.get(index));
            let before = before.filter(|before| before.reach == Reach::Element && !is_template);
            let judgement = NewJudgement {
                id: JudgementId::generate(self.team.service().parts().clock.now()),
                element: check.element(
                    finding,
                    if is_template { 0 } else { found.occurrence(&occurrences, &check.findings, *number) },
                ),
                decision: decision.clone(),
                person: self.actor.id(),
                author: bounded(self.actor.shown(), Judgement::MAX_AUTHOR),
            };
            new.push((judgement, before.map(|before| before.id)));
        }
        let id = self.batch_id();
        let text = format!("{}: {} ({}) {id}", decision.verdict, found.rules(&check.findings), new.len());
        let note = self.note(AuditAction::ElementJudged, &text);
        Ok(store.judge_batch(self.team.id(), check.scan.site, id, new, note).await?)
    }

    /// Assigns many elements of a completed check that fail at once: those that are chosen, or, by the scope that is entered, their
    /// templates or rules. One entry of the audit log is added, and all of it can be [undone](Self::undo_batch) for [`Batch::TERM`].
    /// Who may start checks may assign.
    ///
    /// # Errors
    /// Those of [`assign`](Self::assign); [`Error::Invalid`] with a problem of the field `element` where nothing is chosen, or more
    /// than [`Batch::MOST`].
    pub async fn assign_many(&self, scan: ScanId, chosen: &Chosen, input: &AssignmentInput) -> Result<Batch, Error> {
        let (store, check, joined) = self.checked(scan).await?;
        let found = chosen.of(&check.findings, &joined)?;
        if found.subject != Subject::Finding {
            return Err(Error::NotFound);
        }
        let scope = input.read_scope()?;
        let work = input.read(None, self.today().await?)?;
        let occurrences = occurrences(found.of_kind(&check.findings));
        let mut seen = BTreeSet::new();
        let mut new = Vec::with_capacity(found.numbers.len());
        for number in &found.numbers {
            let Some(finding) = check.findings.numbered(*number) else { continue };
            let is_first = match scope {
                WorkScope::Rule => seen.insert(finding.rule.as_str()),
                WorkScope::Template => seen.insert(finding.fingerprint.template.as_str()),
                WorkScope::Element | WorkScope::Unknown(_) => true,
            };
            if is_first {
                new.push(NewAssignment {
                    id: AssignmentId::generate(self.team.service().parts().clock.now()),
                    element: check.element(finding, found.occurrence(&occurrences, &check.findings, *number)),
                    scope,
                    work,
                    author: bounded(self.actor.shown(), Judgement::MAX_AUTHOR),
                });
            }
        }
        let id = self.batch_id();
        let text = format!("{scope}: {} ({}) {id}", found.rules(&check.findings), new.len());
        let note = self.note(AuditAction::FindingAssigned, &text);
        Ok(store.assign_batch(self.team.id(), check.scan.site, id, new, note).await?)
    }

    /// Undoes what was decided or assigned at once, unless somebody has changed it since. Who may start checks may do so, whoever made
    /// the batch.
    ///
    /// # Errors
    /// Returns [`Error::MayNotJudge`]; [`Error::NotFound`] if there is no such batch, it was undone, or its time is over, and those of
    /// [every call](crate::service::TeamHandle#errors).
    pub async fn undo_batch(&self, batch: BatchId) -> Result<Undone, Error> {
        self.team.may_judge().await?;
        let store = self.team.service().parts().judgements.as_deref().ok_or(Error::NotFound)?;
        let note = self.note(AuditAction::JudgementUndone, &batch.to_string());
        Ok(store.undo_batch(self.team.id(), batch, note).await?)
    }

    /// Returns what many decisions about a completed check need.
    async fn checked(&self, scan: ScanId) -> Result<(&dyn ReviewStore, Checked, Joined), Error> {
        self.team.may_judge().await?;
        let (service, team) = (self.team.service(), self.team.id());
        let store = service.parts().judgements.as_deref().ok_or(Error::NotFound)?;
        let scan = service.store().scan(team, scan).await?.ok_or(Error::NotFound)?;
        if scan.outcome().is_none() {
            return Err(Error::NotCompleted);
        }
        let findings = service.store().findings(team, scan.id).await?.ok_or(Error::NotFound)?;
        let joined = service.joined(team, scan.site, &findings).await?;
        Ok((store, Checked { scan, findings }, joined))
    }

    async fn today(&self) -> Result<chrono::NaiveDate, Error> {
        Ok(self.team.service().store().now().await?.date_naive())
    }

    fn batch_id(&self) -> BatchId {
        BatchId::generate(self.team.service().parts().clock.now())
    }
}

/// The most rules that the audit log names of a batch, whose id follows them.
const MOST_RULES: usize = 5;

struct Checked {
    scan: crate::domain::Scan,
    findings: Findings,
}

impl Checked {
    fn element(&self, finding: &Finding, occurrence: u32) -> JudgedElement {
        let page = self.findings.pages.get(finding.page).map_or("", |page| &page.url);
        JudgedElement::of(finding, page, occurrence)
    }
}

/// Returns, for each element in its order, the number of those before it that have the same keys.
fn occurrences(of_kind: &[Finding]) -> Vec<u32> {
    let mut seen: HashMap<(&str, &str), u32> = HashMap::new();
    of_kind
        .iter()
        .map(|finding| {
            let keys = (finding.fingerprint.tight.as_str(), finding.fingerprint.loose.as_str());
            let count = seen.entry(keys).or_default();
            *count += 1;
            *count - 1
        })
        .collect()
}

impl crate::service::batches::Found {
    /// Returns all elements of the kind that was chosen.
    fn of_kind<'a>(&self, findings: &'a Findings) -> &'a [Finding] {
        if self.subject == Subject::Finding { &findings.items } else { &findings.undecided }
    }

    /// Returns the number of elements before this one that have the same keys, given those of all elements of the kind.
    fn occurrence(&self, all: &[u32], findings: &Findings, number: u64) -> u32 {
        let before = if self.subject == Subject::Finding { 0 } else { findings.items.len() as u64 };
        let place = number.checked_sub(before + 1).and_then(|place| usize::try_from(place).ok());
        place.and_then(|place| all.get(place)).copied().unwrap_or_default()
    }

    /// Returns the rules of what was chosen, for the audit log.
    fn rules(&self, findings: &Findings) -> String {
        let rules: BTreeSet<&str> = self
            .numbers
            .iter()
            .filter_map(|number| findings.numbered(*number))
            .map(|finding| finding.rule.as_str())
            .collect();
        let further = rules.len().saturating_sub(MOST_RULES);
        let named: Vec<&str> = rules.into_iter().take(MOST_RULES).collect();
        if further > 0 { format!("{}, + {further}", named.join(", ")) } else { named.join(", ") }
    }
}
