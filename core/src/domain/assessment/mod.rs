//! Assessments: what a person says about a success criterion of a site, because no program can.
//!
//! An assessment belongs to the site and not to a check. It is joined to what a check found when that is read: a failure that the check
//! found outweighs it, and nothing of either changes.

mod criterion_number;
mod input;

pub use self::{
    criterion_number::{CriterionNumber, NotACriterionNumber},
    input::{AssessmentInput, AssessmentStep},
};

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, TimeDelta, Utc};

use super::{UnknownWord, stored_word::stored_words};
use crate::id::{PersonId, SiteId, TeamId};

/// The degree to which a person found a criterion met, in the terms of conformance reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AssessmentOutcome {
    /// The criterion is met.
    Supports,
    /// It is met in part.
    PartiallySupports,
    /// It is not met.
    DoesNotSupport,
    /// The site has nothing that the criterion is about.
    NotApplicable,
    /// One of a later release: it counts as not assessed.
    Unknown(UnknownWord),
}

stored_words!(AssessmentOutcome {
    Supports = "supports",
    PartiallySupports = "partially-supports",
    DoesNotSupport = "does-not-support",
    NotApplicable = "not-applicable",
});

impl AssessmentOutcome {
    /// Returns whether a note must say why.
    pub const fn must_say_why(self) -> bool {
        match self {
            Self::PartiallySupports | Self::DoesNotSupport | Self::NotApplicable => true,
            Self::Supports | Self::Unknown(_) => false,
        }
    }

    /// Returns whether it says that nothing of the site fails the criterion, which a failure contradicts.
    pub const fn denies_failures(self) -> bool {
        match self {
            Self::Supports | Self::NotApplicable => true,
            Self::PartiallySupports | Self::DoesNotSupport | Self::Unknown(_) => false,
        }
    }
}

/// The assessment of a success criterion of a site by a person. A site has at most one for each criterion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assessment {
    /// The team that owns the site.
    pub team: TeamId,
    /// The site.
    pub site: SiteId,
    /// The criterion.
    pub criterion: CriterionNumber,
    /// The degree to which it is met.
    pub outcome: AssessmentOutcome,
    /// The reason in the words of the person: at most [`Assessment::MAX_NOTE`] characters. May be empty where the criterion is met.
    pub note: String,
    /// The person who assessed it; `None` if it was a program.
    pub person: Option<PersonId>,
    /// The author, in words: the person's name at that time, or the name of the program.
    pub author: String,
    /// The instant at which it was assessed.
    pub at: DateTime<Utc>,
}

impl Assessment {
    /// The fewest characters of a note that must say why: enough for a reason, and too many for a dot.
    pub const MIN_NOTE: usize = 10;
    /// The most characters of a note.
    pub const MAX_NOTE: usize = 1_000;
    /// The most characters of an author's name that are kept.
    pub const MAX_AUTHOR: usize = 300;
    /// The time after which a person should look again: 12 months.
    pub const TERM: TimeDelta = TimeDelta::days(365);
    /// The same, in months, for sentences.
    pub const TERM_MONTHS: u32 = 12;

    /// Returns whether a person should look again, at the instant `now`. At the end of the term itself, it is not old yet.
    pub fn is_old(&self, now: DateTime<Utc>) -> bool {
        now.signed_duration_since(self.at) > Self::TERM
    }
}

/// An assessment that is about to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAssessment {
    /// The criterion.
    pub criterion: CriterionNumber,
    /// The degree to which it is met.
    pub outcome: AssessmentOutcome,
    /// The reason.
    pub note: String,
    /// The person who assesses it; `None` if it is a program.
    pub person: Option<PersonId>,
    /// The author, in words.
    pub author: String,
}

impl NewAssessment {
    /// Returns the assessment as it is kept.
    pub fn at(self, team: TeamId, site: SiteId, at: DateTime<Utc>) -> Assessment {
        let Self { criterion, outcome, note, person, author } = self;
        Assessment { team, site, criterion, outcome, note, person, author, at }
    }
}

/// Changes to the assessments of a site, which are made at once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AssessmentChanges {
    /// Those that are made, each in the place of the one about the same criterion; of two about the same criterion, the later one.
    pub made: Vec<NewAssessment>,
    /// The criteria about which nothing is said any more, unless it is made above.
    pub removed: Vec<CriterionNumber>,
}

impl AssessmentChanges {
    /// Returns whether there is nothing to change.
    pub const fn is_empty(&self) -> bool {
        self.made.is_empty() && self.removed.is_empty()
    }

    /// Returns the assessments that are made, as they are kept: by criterion, each once.
    pub fn made_at(&self, team: TeamId, site: SiteId, at: DateTime<Utc>) -> Vec<Assessment> {
        let made = self.made.iter().map(|new| (new.criterion.clone(), new.clone().at(team, site, at)));
        made.collect::<BTreeMap<_, _>>().into_values().collect()
    }

    /// Returns the criteria of which the assessments that there were are gone afterwards: those that are made, and those that are removed.
    pub fn criteria(&self) -> BTreeSet<CriterionNumber> {
        self.made.iter().map(|new| &new.criterion).chain(&self.removed).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_assessment_is_old_after_twelve_months_and_not_on_the_day() {
        let at = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        let new = NewAssessment {
            criterion: "2.1.1".parse().unwrap(),
            outcome: AssessmentOutcome::Supports,
            note: String::new(),
            person: None,
            author: "Jo".to_owned(),
        };
        let assessment = new.at(TeamId::MIN, SiteId::MIN, at);
        assert!(!assessment.is_old(at) && !assessment.is_old(at + Assessment::TERM));
        assert!(assessment.is_old(at + Assessment::TERM + TimeDelta::microseconds(1)));
        assert!(!assessment.is_old(at - TimeDelta::days(9)), "a draft of a check from before");
    }

    #[test]
    fn of_two_changes_about_a_criterion_the_later_one_is_kept() {
        let new = |criterion: &str, note: &str| NewAssessment {
            criterion: criterion.parse().unwrap(),
            outcome: AssessmentOutcome::Supports,
            note: note.to_owned(),
            person: None,
            author: "Jo".to_owned(),
        };
        let made = vec![new("2.1.1", "first"), new("1.4.10", ""), new("2.1.1", "second")];
        let changes = AssessmentChanges { made, removed: vec!["1.4.3".parse().unwrap(), "2.1.1".parse().unwrap()] };
        let at = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        let kept = changes.made_at(TeamId::MIN, SiteId::MIN, at);
        let kept: Vec<_> = kept.iter().map(|one| (one.criterion.as_str(), one.note.as_str())).collect();
        assert_eq!(kept, [("1.4.10", ""), ("2.1.1", "second")]);
        let criteria: Vec<String> = changes.criteria().iter().map(ToString::to_string).collect();
        assert_eq!(criteria, ["1.4.3", "1.4.10", "2.1.1"]);
    }

    #[test]
    fn what_says_that_nothing_fails_is_known_and_what_is_unknown_says_nothing() {
        let denies = AssessmentOutcome::KNOWN.iter().filter(|outcome| outcome.denies_failures());
        assert!(denies.eq(&[AssessmentOutcome::Supports, AssessmentOutcome::NotApplicable]));
        let later = AssessmentOutcome::from_stored("supports-with-exceptions").unwrap();
        assert!(!later.denies_failures() && !later.must_say_why());
    }
}
