//! What people say about success criteria of a site, beside what its latest check found, as it is read.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use super::{Service, TeamHandle, drafts::undecided_by_persons};
use crate::{
    catalog::{Criterion, HandStep, hand_steps},
    domain::{Ability, Assessment, AssessmentOutcome, RuleId, Scan, Site, Standard},
    error::Error,
    export::acr::{Evidence, verdicts_beside},
    id::{SiteId, TeamId},
};

/// The criteria that a person assesses, with what was said about a site, in the parts of the hour of testing by hand.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SiteAssessments {
    /// The site.
    pub site: Site,
    /// The standard against which the site is checked.
    pub standard: &'static Standard,
    /// The latest completed check whose findings are kept; `None` if there is none.
    pub scan: Option<Scan>,
    /// The parts, in the order in which to test.
    pub steps: Vec<AssessedStep>,
    /// The number of criteria that are assessed.
    pub counts: AssessmentCounts,
}

/// A part of the hour of testing by hand, with its criteria.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct AssessedStep {
    /// The part.
    pub step: &'static HandStep,
    /// Its criteria, in the order of the standard.
    pub criteria: Vec<AssessedCriterion>,
}

/// A criterion that a person assesses.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct AssessedCriterion {
    /// The criterion.
    pub criterion: &'static Criterion,
    /// True if the site's standard requires it.
    pub is_required: bool,
    /// The result of the check for it, with the judgements of people about its elements applied.
    pub found: CriterionFound,
    /// The assessment; `None` if a person has not assessed it.
    pub assessment: Option<Assessment>,
    /// The state of the assessment.
    pub state: CriterionState,
}

/// The result of a check for a criterion.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CriterionFound {
    /// There is no completed check whose findings are kept.
    NoCheck,
    /// Elements fail.
    Failures {
        /// The rules that found them, by their ids.
        rules: Vec<RuleId>,
        /// The number of elements.
        elements: u64,
    },
    /// No element fails, and so many are left about which no program could decide.
    Undecided(u64),
    /// So many rules ran, and none found anything.
    Nothing(u64),
    /// No rule has tested it, as far as the check says.
    NotTested,
}

/// The state of the assessment of a criterion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CriterionState {
    /// The criterion is not assessed, or with an outcome that this release does not know.
    Open,
    /// The criterion is assessed.
    Assessed,
    /// The criterion was assessed longer ago than [`Assessment::TERM`], so that a person should assess it again.
    Old,
    /// The criterion was assessed as met or not applicable, and the check found failures.
    Contradicted,
}

/// The number of criteria that are assessed, and of those that have to be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct AssessmentCounts {
    /// The number of criteria that the site's standard requires and that were assessed within [`Assessment::TERM`], whatever a check found.
    pub assessed: u64,
    /// The number of criteria that the site's standard requires and that a person assesses.
    pub required: u64,
}

impl AssessedCriterion {
    /// Returns whether there is something to do for a person.
    pub fn is_open(&self) -> bool {
        self.state != CriterionState::Assessed
    }
}

impl CriterionFound {
    fn of(evidence: &Evidence<'_>) -> Self {
        if !evidence.failed.is_empty() {
            let rules = evidence.failed.iter().map(|rule| RuleId::new(*rule)).collect();
            Self::Failures { rules, elements: evidence.elements }
        } else if evidence.undecided_elements > 0 {
            Self::Undecided(evidence.undecided_elements)
        } else if !evidence.ran.is_empty() {
            Self::Nothing(evidence.ran.len() as u64)
        } else {
            Self::NotTested
        }
    }
}

impl CriterionState {
    fn of(assessment: Option<&Assessment>, found: &CriterionFound, now: DateTime<Utc>) -> Self {
        match assessment {
            Some(one) if is_unknown(one) => Self::Open,
            Some(one) if one.outcome.denies_failures() && matches!(found, CriterionFound::Failures { .. }) => {
                Self::Contradicted
            }
            Some(one) if one.is_old(now) => Self::Old,
            Some(_) => Self::Assessed,
            None => Self::Open,
        }
    }
}

const fn is_unknown(assessment: &Assessment) -> bool {
    matches!(assessment.outcome, AssessmentOutcome::Unknown(_))
}

impl TeamHandle {
    /// Returns the criteria that a person assesses, with what was said about a site and what its latest completed check found.
    ///
    /// # Errors
    /// Returns [`Error::MissingAbility`] without `read`, [`Error::NotFound`] if the team has no such site or the service
    /// [keeps no such things](super::ServiceBuilder::with_judgements), and those of [every call](TeamHandle#errors).
    pub async fn assessments(&self, site: SiteId) -> Result<SiteAssessments, Error> {
        self.may(Ability::Read).await?;
        let (service, team) = (self.service(), self.id());
        let store = service.parts().judgements.as_deref().ok_or(Error::NotFound)?;
        let site = service.store().site(team, site).await?.ok_or(Error::NotFound)?;
        let assessments = store.assessments(team, site.id).await?;
        let now = service.store().now().await?;
        let (scan, found) = service.latest_found(team, site.id).await?;
        let standard = service.standard_of(&site.details).effective();
        let criterion = |criterion: &'static Criterion| {
            let found = found.get(criterion.number.as_str()).cloned().unwrap_or(CriterionFound::NoCheck);
            let assessment = assessments.iter().find(|one| one.criterion.as_str() == criterion.number).cloned();
            let state = CriterionState::of(assessment.as_ref(), &found, now);
            let is_required = standard.requires(&criterion.number);
            AssessedCriterion { criterion, is_required, found, assessment, state }
        };
        let steps = hand_steps()
            .iter()
            .map(|step| AssessedStep { step, criteria: step.criteria().map(&criterion).collect() })
            .collect();
        let counts = counts(&assessments, standard, now);
        Ok(SiteAssessments { site, standard, scan, steps, counts })
    }

    /// Returns how many criteria of a site are assessed; `None` if the service [keeps no such
    /// things](super::ServiceBuilder::with_judgements).
    ///
    /// # Errors
    /// Returns [`Error::MissingAbility`] without `read`, [`Error::NotFound`] if the team has no such site, and those of
    /// [every call](TeamHandle#errors).
    pub async fn assessment_counts(&self, site: SiteId) -> Result<Option<AssessmentCounts>, Error> {
        self.may(Ability::Read).await?;
        let (service, team) = (self.service(), self.id());
        let site = service.store().site(team, site).await?.ok_or(Error::NotFound)?;
        let Some(store) = &service.parts().judgements else { return Ok(None) };
        let assessments = store.assessments(team, site.id).await?;
        let now = service.store().now().await?;
        Ok(Some(counts(&assessments, service.standard_of(&site.details).effective(), now)))
    }
}

impl Service {
    /// Returns the latest completed check of a site whose findings are kept, and what it found by the number of the criterion, after what
    /// people have decided about its elements; nothing if there is none.
    async fn latest_found(
        &self,
        team: TeamId,
        site: SiteId,
    ) -> Result<(Option<Scan>, BTreeMap<&'static str, CriterionFound>), Error> {
        let Some(scan) = self.store().latest_completed(team, site).await? else { return Ok((None, BTreeMap::new())) };
        let open = self.store().open_findings(team, scan.id).await?;
        let Some(open) = open else { return Ok((None, BTreeMap::new())) };
        let extract = open.extract();
        let (judgements, judged) = self.joined_to(team, site, extract).await?;
        let mut rest = extract.rest().clone();
        let (_, barriers) = undecided_by_persons(&mut rest, extract.failing() + 1, &judgements, &judged);
        rest.items = barriers;
        let no_barriers = judged.false_positives(&judgements);
        let failing = extract.failing_elements().filter(|(number, ..)| !no_barriers.contains(number));
        let verdicts = verdicts_beside(&rest, failing.map(|(_, page, rule)| (page, rule)));
        let found = verdicts.iter().map(|one| (one.criterion.number.as_str(), CriterionFound::of(&one.evidence)));
        Ok((Some(scan), found.collect()))
    }

    /// Returns what people say about success criteria of a site; `None` where the service keeps nothing of it.
    pub(super) async fn kept_assessments(&self, team: TeamId, site: SiteId) -> Result<Option<Vec<Assessment>>, Error> {
        match &self.parts().judgements {
            Some(store) => Ok(Some(store.assessments(team, site).await?)),
            None => Ok(None),
        }
    }

    /// Returns what tells all that was said about criteria of a site from what was so at another time.
    #[cfg(feature = "pdf")]
    pub(super) async fn assessed(&self, team: TeamId, site: SiteId) -> Result<String, Error> {
        let all = self.kept_assessments(team, site).await?.unwrap_or_default();
        Ok(all.iter().map(stamp).collect())
    }
}

/// Returns what tells an assessment from others of its site: there is one of a criterion at an instant.
#[cfg(feature = "pdf")]
pub(super) fn stamp(assessment: &Assessment) -> String {
    let Assessment { criterion, outcome, at, .. } = assessment;
    format!("{criterion}={outcome}@{} ", at.timestamp_micros())
}

/// Returns whether a person assesses the criterion with this number.
pub(super) fn is_assessed_by_hand(number: &str) -> bool {
    hand_steps().iter().flat_map(HandStep::criteria).any(|criterion| criterion.number == number)
}

fn counts(assessments: &[Assessment], standard: &Standard, now: DateTime<Utc>) -> AssessmentCounts {
    let mut counts = AssessmentCounts::default();
    let criteria = hand_steps().iter().flat_map(HandStep::criteria);
    for criterion in criteria.filter(|criterion| standard.requires(&criterion.number)) {
        let assessment = assessments.iter().find(|one| one.criterion.as_str() == criterion.number);
        counts.required += 1;
        counts.assessed += u64::from(assessment.is_some_and(|one| !is_unknown(one) && !one.is_old(now)));
    }
    counts
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;
    use crate::domain::{NewAssessment, StandardId};

    fn at() -> DateTime<Utc> {
        DateTime::from_timestamp(1_800_000_000, 0).unwrap()
    }

    fn assessment(criterion: &str, outcome: AssessmentOutcome) -> Assessment {
        let criterion = criterion.parse().unwrap();
        let new = NewAssessment { criterion, outcome, note: String::new(), person: None, author: "Jo".to_owned() };
        new.at(TeamId::MIN, SiteId::MIN, at())
    }

    #[test]
    fn what_was_said_stands_until_it_is_old_or_a_check_contradicts_it() {
        let failures = CriterionFound::Failures { rules: vec![RuleId::new("label")], elements: 1 };
        let state = |outcome, found: &CriterionFound, days| {
            CriterionState::of(Some(&assessment("2.1.1", outcome)), found, at() + TimeDelta::days(days))
        };
        assert_eq!(CriterionState::of(None, &failures, at()), CriterionState::Open);
        for outcome in AssessmentOutcome::KNOWN.iter().copied() {
            assert_eq!(state(outcome, &CriterionFound::Nothing(3), 365), CriterionState::Assessed, "{outcome}");
            assert_eq!(state(outcome, &CriterionFound::Undecided(3), 366), CriterionState::Old, "{outcome}");
            let is_denied = outcome.denies_failures();
            let expected = if is_denied { CriterionState::Contradicted } else { CriterionState::Assessed };
            assert_eq!(state(outcome, &failures, 1), expected, "{outcome}");
        }
        assert_eq!(state(AssessmentOutcome::Supports, &failures, 400), CriterionState::Contradicted);
        let later = AssessmentOutcome::from_stored("with-exceptions").unwrap();
        assert_eq!(state(later, &failures, 1), CriterionState::Open);
    }

    #[test]
    fn what_a_standard_requires_is_counted_and_nothing_else() {
        let later = AssessmentOutcome::from_stored("with-exceptions").unwrap();
        let assessments = [
            assessment("2.1.1", AssessmentOutcome::Supports),
            assessment("2.4.11", AssessmentOutcome::Supports),
            assessment("1.4.3", later),
        ];
        let counted = |standard: StandardId, days| {
            let counts = counts(&assessments, standard.effective(), at() + TimeDelta::days(days));
            (counts.assessed, counts.required)
        };
        assert_eq!(counted(StandardId::Wcag21Aa, 0), (1, 49));
        assert_eq!(counted(StandardId::Wcag22Aa, 0), (2, 55));
        assert_eq!(counted(StandardId::Wcag22Aa, 366), (0, 55));
        assert!(is_assessed_by_hand("1.4.10") && !is_assessed_by_hand("4.1.1") && !is_assessed_by_hand("1.4.6"));
    }
}
