//! Elements of a check that are chosen to be decided about at once.

use super::{ElementsQuery, Service, Shown, TeamHandle, elements::listed, judgements::Joined};
use crate::{
    domain::{Ability, Batch, FieldErrors, Finding, Findings, Problem, RuleId, RuleKind, Subject},
    error::Error,
    id::{BatchId, ScanId},
    store::StoreError,
};

/// Elements of a completed check that a person has chosen.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Chosen {
    /// The elements with these numbers within the check.
    Elements(Vec<u64>),
    /// All that a query lists.
    Matching(ElementsQuery),
    /// All that the rule of the element with this number found: what fails, or what no program could decide about, as the element does.
    OfRule(u64),
}

/// The elements that were chosen of a check.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Found {
    /// The kind of the elements: they fail, or no program could decide about them.
    pub subject: Subject,
    /// The numbers of the elements within the check, each once: at least one, and at most [`Batch::MOST`].
    pub numbers: Vec<u64>,
}

impl Chosen {
    /// Returns what is chosen of a check.
    ///
    /// # Errors
    /// [`Error::NotFound`] if an element does not exist or is of another kind than the first; [`Error::Invalid`] with a problem of the
    /// field `element` if there is none, or too many.
    pub(super) fn of(&self, findings: &Findings, (judgements, judged): &Joined) -> Result<Found, Error> {
        let failing = findings.items.len() as u64;
        let subject_of = |number: u64| if number <= failing { Subject::Finding } else { Subject::Undecided };
        let (subject, mut numbers): (Subject, Vec<u64>) = match self {
            Self::Elements(numbers) => {
                let first = numbers.first().copied().unwrap_or(1);
                (subject_of(first), numbers.clone())
            }
            Self::Matching(query) => {
                let accepted = judged.acceptances(judgements);
                let is_accepted = |number| accepted.of(number).is_some();
                let facts = |(number, finding): (u64, &Finding)| (number, finding.page, finding.is_new);
                if query.shown == Shown::ToReview {
                    let undecided = findings.undecided_with_numbers().map(facts);
                    (Subject::Undecided, listed(*query, undecided, is_accepted))
                } else {
                    let counts = |(_, finding): &(u64, &Finding)| findings.kind_of(&finding.rule) == RuleKind::Problem;
                    let problems = (1..).zip(&findings.items).filter(counts).map(facts);
                    (Subject::Finding, listed(*query, problems, is_accepted))
                }
            }
            Self::OfRule(number) => {
                let rule: &RuleId = &findings.numbered(*number).ok_or(Error::NotFound)?.rule;
                let subject = subject_of(*number);
                let all = (1..).zip(findings.items.iter().chain(&findings.undecided));
                let of_rule = all.filter(|(other, finding)| finding.rule == *rule && subject_of(*other) == subject);
                (subject, of_rule.map(|(other, _)| other).collect())
            }
        };
        numbers.sort_unstable();
        numbers.dedup();
        refused_choice(numbers.len())?;
        let last = numbers.last().copied().unwrap_or_default();
        let is_there = numbers[0] >= 1 && findings.numbered(last).is_some();
        if !is_there || numbers.iter().any(|number| subject_of(*number) != subject) {
            return Err(Error::NotFound);
        }
        Ok(Found { subject, numbers })
    }
}

impl TeamHandle {
    /// Returns what is chosen of a completed check, for whoever is about to decide about it.
    ///
    /// # Errors
    /// Returns [`Error::MissingAbility`] without `read`; [`Error::NotFound`] if there is no such check or element, or elements of both
    /// kinds are chosen; [`Error::NotCompleted`]; [`Error::Invalid`] with a problem of the field `element` where nothing is chosen, or
    /// more than [`Batch::MOST`], and those of [every call](TeamHandle#errors).
    pub async fn chosen(&self, scan: ScanId, chosen: &Chosen) -> Result<Found, Error> {
        let scan = self.scan(scan).await?;
        if scan.outcome().is_none() {
            return Err(Error::NotCompleted);
        }
        let service = self.service();
        let findings = service.store().findings(self.id(), scan.id).await?.ok_or(Error::NotFound)?;
        let joined = service.joined(self.id(), scan.site, &findings).await?;
        chosen.of(&findings, &joined)
    }

    /// Returns what was made at once and can be undone; `None` if there is no such batch, it was undone, or its time is over.
    ///
    /// # Errors
    /// Returns [`Error::MissingAbility`] without `read`, and those of [every call](TeamHandle#errors).
    pub async fn batch(&self, batch: BatchId) -> Result<Option<Batch>, Error> {
        self.may(Ability::Read).await?;
        match &self.service().parts().judgements {
            Some(store) => Ok(store.batch(self.id(), batch).await?),
            None => Ok(None),
        }
    }
}

impl Service {
    /// Removes batches that can't be undone any more, and returns how many there were.
    pub(crate) async fn purge_batches(&self, limit: u32) -> Result<u32, StoreError> {
        match &self.parts().judgements {
            Some(store) => store.purge_batches(limit).await,
            None => Ok(0),
        }
    }
}

/// Returns the refusal of a choice of nothing, or of too much.
fn refused_choice(count: usize) -> Result<(), Error> {
    match count {
        0 => Err(FieldErrors::one("element", Problem::Required).into()),
        1..=Batch::MOST => Ok(()),
        _ => Err(FieldErrors::one("element", Problem::TooMany(Batch::MOST)).into()),
    }
}
