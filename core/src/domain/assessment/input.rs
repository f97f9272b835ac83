//! What a person enters to assess criteria.

use super::{Assessment, AssessmentOutcome, CriterionNumber};
use crate::domain::{FieldErrors, Problem};

/// The input about one criterion as it was entered, unread.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AssessmentInput {
    /// The word of the [`AssessmentOutcome`]; [`AssessmentInput::TAKE_BACK`]; or nothing: what was said stays.
    pub outcome: String,
    /// The note.
    pub note: String,
}

/// The decision of a person about one criterion, within its bounds.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum AssessmentStep {
    /// The assessment of the criterion stays as it is, if there is one.
    Leave,
    /// The assessment is taken back.
    TakeBack,
    /// The criterion is assessed, with this note.
    Assess(AssessmentOutcome, String),
}

impl AssessmentInput {
    /// The word for an assessment that is taken back.
    pub const TAKE_BACK: &'static str = "take-back";

    /// Returns the name of the field of the outcome, by which a problem is found again: `outcome-1-4-10`, without points, which separate a
    /// field from an item of its list.
    pub fn outcome_field(criterion: &CriterionNumber) -> String {
        format!("outcome-{}", criterion.as_str().replace('.', "-"))
    }

    /// Returns the name of the field of the note, likewise: `note-1-4-10`.
    pub fn note_field(criterion: &CriterionNumber) -> String {
        format!("note-{}", criterion.as_str().replace('.', "-"))
    }

    /// Reads what was entered about `criterion`, and adds the problems of its fields to `errors`; then the step is worth nothing.
    ///
    /// A problem has the outcome if it is no word, or if there is a note and nothing is chosen; and the note if it has fewer than
    /// [`Assessment::MIN_NOTE`] characters where it must say why, or more than [`Assessment::MAX_NOTE`].
    pub fn read(&self, criterion: &CriterionNumber, errors: &mut FieldErrors) -> AssessmentStep {
        let (outcome_field, note_field) = (Self::outcome_field(criterion), Self::note_field(criterion));
        let note = self.note.replace('\0', "").replace("\r\n", "\n").trim().to_owned();
        let outcome = match self.outcome.as_str() {
            // What was written would be lost.
            "" if !note.is_empty() => {
                errors.add(&outcome_field, Problem::Required);
                return AssessmentStep::Leave;
            }
            "" => return AssessmentStep::Leave,
            Self::TAKE_BACK => return AssessmentStep::TakeBack,
            word => AssessmentOutcome::KNOWN.iter().copied().find(|known| known.as_str() == word),
        };
        let Some(outcome) = outcome else {
            errors.add(&outcome_field, Problem::NotInList);
            return AssessmentStep::Leave;
        };
        match note.chars().count() {
            0 if outcome.must_say_why() => errors.add(&note_field, Problem::Required),
            1..Assessment::MIN_NOTE if outcome.must_say_why() => {
                errors.add(&note_field, Problem::TooShort(Assessment::MIN_NOTE));
            }
            length if length > Assessment::MAX_NOTE => errors.add(&note_field, Problem::TooLong(Assessment::MAX_NOTE)),
            _ => {}
        }
        AssessmentStep::Assess(outcome, note)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(outcome: &str, note: &str) -> Result<AssessmentStep, FieldErrors> {
        let criterion: CriterionNumber = "2.1.1".parse().unwrap();
        let input = AssessmentInput { outcome: outcome.to_owned(), note: note.to_owned() };
        let mut errors = FieldErrors::default();
        let step = input.read(&criterion, &mut errors);
        if errors.is_empty() { Ok(step) } else { Err(errors) }
    }

    #[test]
    fn what_is_met_needs_no_words_and_everything_else_a_reason() {
        assert_eq!(read("supports", " "), Ok(AssessmentStep::Assess(AssessmentOutcome::Supports, String::new())));
        for outcome in ["partially-supports", "does-not-support", "not-applicable"] {
            assert_eq!(read(outcome, " "), Err(FieldErrors::one("note-2-1-1", Problem::Required)), "{outcome}");
            assert_eq!(read(outcome, "…"), Err(FieldErrors::one("note-2-1-1", Problem::TooShort(10))), "{outcome}");
        }
        let reason = "The menu cannot be left.\r\nIn every page.";
        let step = AssessmentStep::Assess(AssessmentOutcome::DoesNotSupport, reason.replace('\r', ""));
        assert_eq!(read("does-not-support", reason), Ok(step));
        let long = "ж".repeat(1_001);
        assert_eq!(read("supports", &long), Err(FieldErrors::one("note-2-1-1", Problem::TooLong(1_000))));
    }

    #[test]
    fn nothing_chosen_leaves_what_was_said_and_no_note_is_lost() {
        assert_eq!(read("", ""), Ok(AssessmentStep::Leave));
        assert_eq!(read("take-back", "whatever"), Ok(AssessmentStep::TakeBack));
        assert_eq!(read("", "The menu."), Err(FieldErrors::one("outcome-2-1-1", Problem::Required)));
        assert_eq!(read("fine", ""), Err(FieldErrors::one("outcome-2-1-1", Problem::NotInList)));
    }
}
