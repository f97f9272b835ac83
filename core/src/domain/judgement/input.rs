//! What a person enters to judge an element.

use chrono::NaiveDate;

use super::{Judgement, Reach, Subject, Verdict};
use crate::domain::{FieldErrors, Problem};

/// The input as it was entered, unread.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JudgementInput {
    /// The word of the [`Verdict`].
    pub verdict: String,
    /// The word of the [`Reach`]; the one element if it is empty.
    pub reach: String,
    /// The note.
    pub note: String,
    /// The last day, as `2027-04-30`; none if it is empty.
    pub until: String,
}

/// A decision of a person about an element, within its bounds.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Decision {
    /// The verdict.
    pub verdict: Verdict,
    /// Its reach.
    pub reach: Reach,
    /// The reason in the words of the person; may be empty where nothing is accepted.
    pub note: String,
    /// The last day on which it holds.
    pub until: Option<NaiveDate>,
}

impl JudgementInput {
    /// Reads what was entered about `subject` on the day `today`.
    ///
    /// # Errors
    /// The problems of the fields `verdict`, `reach`, `note` and `until`: a verdict that is none or about something else; a note of
    /// fewer than [`Judgement::MIN_NOTE`] characters where something is accepted or said not to apply, or of more than [`Judgement::MAX_NOTE`]; a last
    /// day that is missing where it must not be, has passed, or is later than [`Judgement::LONGEST`] from now.
    pub fn read(&self, subject: Subject, today: NaiveDate) -> Result<Decision, FieldErrors> {
        let mut errors = FieldErrors::default();
        let verdict = subject.verdicts().iter().copied().find(|known| known.as_str() == self.verdict);
        if verdict.is_none() {
            errors.add("verdict", if self.verdict.is_empty() { Problem::Required } else { Problem::NotInList });
        }
        let reach = match self.reach.as_str() {
            "" => Some(Reach::Element),
            word => Reach::KNOWN.iter().copied().find(|known| known.as_str() == word),
        };
        if reach.is_none() {
            errors.add("reach", Problem::NotInList);
        }
        let note = self.note.replace('\0', "").replace("\r\n", "\n").trim().to_owned();
        // What is chosen among reasons to accept something needs one, whichever it is.
        let says_why = subject == Subject::Finding || verdict.is_some_and(Verdict::must_say_why);
        match note.chars().count() {
            0 if says_why => errors.add("note", Problem::Required),
            1..Judgement::MIN_NOTE if says_why => {
                errors.add("note", Problem::TooShort(Judgement::MIN_NOTE));
            }
            length if length > Judgement::MAX_NOTE => errors.add("note", Problem::TooLong(Judgement::MAX_NOTE)),
            _ => {}
        }
        let until = match self.until.trim() {
            "" => Ok(None),
            text => NaiveDate::parse_from_str(text, "%Y-%m-%d").map(Some).map_err(|_| Problem::NotDate),
        };
        let last = today.checked_add_signed(Judgement::LONGEST).unwrap_or(NaiveDate::MAX);
        match &until {
            Err(problem) => errors.add("until", problem.clone()),
            Ok(None) if verdict.is_some_and(Verdict::must_expire) => errors.add("until", Problem::Required),
            Ok(Some(day)) if *day < today || *day > last => errors.add("until", Problem::DateOutOfRange(today, last)),
            Ok(_) => {}
        }
        match (verdict, reach, until) {
            (Some(verdict), Some(reach), Ok(until)) if errors.is_empty() => {
                Ok(Decision { verdict, reach, note, until })
            }
            _ => Err(errors),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn today() -> NaiveDate {
        NaiveDate::from_ymd_opt(2026, 11, 25).unwrap()
    }

    fn input(verdict: &str, note: &str, until: &str) -> JudgementInput {
        let text = str::to_owned;
        JudgementInput { verdict: text(verdict), reach: String::new(), note: text(note), until: text(until) }
    }

    fn problems(input: &JudgementInput, subject: Subject) -> Vec<(String, Problem)> {
        let errors = input.read(subject, today()).unwrap_err();
        errors.iter().flat_map(|(field, of)| of.iter().map(|problem| (field.to_owned(), problem.clone()))).collect()
    }

    #[test]
    fn what_is_accepted_has_a_reason_a_note_and_a_last_day() {
        let decided = input("planned", " The new header comes in May. ", "2027-05-31").read(Subject::Finding, today());
        let decided = decided.unwrap();
        assert_eq!((decided.verdict, decided.reach), (Verdict::Planned, Reach::Element));
        assert_eq!(
            (decided.note.as_str(), decided.until.unwrap().to_string()),
            ("The new header comes in May.", "2027-05-31".to_owned())
        );
        assert!(input("false-positive", "The text is over a picture.", "").read(Subject::Finding, today()).is_ok());
        let missing = problems(&input("", "", ""), Subject::Finding);
        assert_eq!(missing, [("verdict".to_owned(), Problem::Required), ("note".to_owned(), Problem::Required)]);
        assert_eq!(
            problems(&input("wont-fix", "…", ""), Subject::Finding),
            [("note".to_owned(), Problem::TooShort(10)), ("until".to_owned(), Problem::Required),]
        );
    }

    #[test]
    fn a_last_day_is_today_or_within_two_years() {
        let until = |text: &str| input("planned", "The repair is planned.", text).read(Subject::Finding, today());
        assert!(until("2026-11-25").is_ok() && until("2028-11-25").is_ok());
        for (text, problem) in [
            ("2026-11-24", Problem::DateOutOfRange(today(), today() + Judgement::LONGEST)),
            ("2028-11-26", Problem::DateOutOfRange(today(), today() + Judgement::LONGEST)),
            ("31.12.2026", Problem::NotDate),
            ("2026-02-30", Problem::NotDate),
        ] {
            assert_eq!(until(text), Err(FieldErrors::one("until", problem)), "{text}");
        }
    }

    #[test]
    fn an_undecided_element_is_judged_without_words() {
        assert!(input("barrier", "", "").read(Subject::Undecided, today()).is_ok());
        assert_eq!(
            problems(&input("planned", "", ""), Subject::Undecided),
            [("verdict".to_owned(), Problem::NotInList)]
        );
        let without = problems(&input("not-applicable", "", ""), Subject::Undecided);
        assert_eq!(without, [("note".to_owned(), Problem::Required)], "why a requirement does not apply is said");
        assert!(input("not-applicable", "It is a logo, and exempt.", "").read(Subject::Undecided, today()).is_ok());
        let long = problems(&input("later", &"ж".repeat(1_001), ""), Subject::Undecided);
        assert_eq!(long, [("note".to_owned(), Problem::TooLong(1_000))]);
        let reach = JudgementInput { reach: "planet".to_owned(), ..input("later", "", "") };
        assert_eq!(problems(&reach, Subject::Undecided), [("reach".to_owned(), Problem::NotInList)]);
    }
}
