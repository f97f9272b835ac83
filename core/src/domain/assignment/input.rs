//! What a person enters to assign something.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use super::{Assignment, WorkScope, WorkState};
use crate::{
    domain::{FieldErrors, Problem},
    id::PersonId,
};

/// The input as it was entered, unread.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AssignmentInput {
    /// The id of the member; nobody if it is empty.
    pub assignee: String,
    /// The word of the [`WorkState`]; open if it is empty.
    pub state: String,
    /// The due date, as `2027-04-30`; there is none if it is empty.
    pub due: String,
    /// The word of the [`WorkScope`]; the one element if it is empty.
    pub scope: String,
}

/// The decision of a person about an assignment, within its bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkChange {
    /// The member who repairs it.
    pub assignee: Option<PersonId>,
    /// The state of the work.
    pub state: WorkState,
    /// The due date: the last day on which the work is not overdue; `None` if there is none.
    pub due: Option<NaiveDate>,
}

impl AssignmentInput {
    /// Reads what was entered on the day `today`, for something that was due on the day `before`. Whether the member is one is for
    /// the store to say.
    ///
    /// # Errors
    /// The problems of the fields `assignee`, `state` and `due`: an id that is none, a word that is none, a day that is none, or one
    /// that has passed or is later than [`Assignment::LONGEST`] from now; a day that stays as it was may have passed.
    pub fn read(&self, before: Option<NaiveDate>, today: NaiveDate) -> Result<WorkChange, FieldErrors> {
        let mut errors = FieldErrors::default();
        let assignee = match self.assignee.as_str() {
            "" => Ok(None),
            id => id.parse::<PersonId>().map(Some),
        };
        if assignee.is_err() {
            errors.add("assignee", Problem::NotInList);
        }
        let state = match self.state.as_str() {
            "" => Some(WorkState::Open),
            word => WorkState::KNOWN.iter().copied().find(|known| known.as_str() == word),
        };
        if state.is_none() {
            errors.add("state", Problem::NotInList);
        }
        let due = match self.due.trim() {
            "" => Ok(None),
            text => NaiveDate::parse_from_str(text, "%Y-%m-%d").map(Some).map_err(|_| Problem::NotDate),
        };
        let last = today.checked_add_signed(Assignment::LONGEST).unwrap_or(NaiveDate::MAX);
        match &due {
            Err(problem) => errors.add("due", problem.clone()),
            Ok(due) if *due == before => {}
            Ok(Some(day)) if *day < today || *day > last => errors.add("due", Problem::DateOutOfRange(today, last)),
            Ok(_) => {}
        }
        match (assignee, state, due) {
            (Ok(assignee), Some(state), Ok(due)) if errors.is_empty() => Ok(WorkChange { assignee, state, due }),
            _ => Err(errors),
        }
    }

    /// Reads what the assignment is about.
    ///
    /// # Errors
    /// A problem of the field `scope`: a word that is none.
    pub fn read_scope(&self) -> Result<WorkScope, FieldErrors> {
        match self.scope.as_str() {
            "" => Ok(WorkScope::Element),
            word => {
                let found = WorkScope::KNOWN.iter().copied().find(|known| known.as_str() == word);
                found.ok_or_else(|| FieldErrors::one("scope", Problem::NotInList))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn today() -> NaiveDate {
        NaiveDate::from_ymd_opt(2026, 11, 25).unwrap()
    }

    #[test]
    fn an_assignment_needs_nothing_and_refuses_what_is_wrong() {
        let open = WorkChange { assignee: None, state: WorkState::Open, due: None };
        assert_eq!(AssignmentInput::default().read(None, today()), Ok(open));
        assert_eq!(AssignmentInput::default().read_scope(), Ok(WorkScope::Element));
        let text = str::to_owned;
        let wrong =
            AssignmentInput { assignee: text("jo"), state: text("begun"), due: text("soon"), scope: text("planet") };
        let errors = wrong.read(None, today()).unwrap_err();
        let fields: Vec<&str> = errors.iter().map(|(field, _)| field).collect();
        assert_eq!(fields, ["assignee", "state", "due"]);
        assert_eq!(wrong.read_scope(), Err(FieldErrors::one("scope", Problem::NotInList)));
    }

    #[test]
    fn a_day_that_has_passed_may_stay_and_may_not_be_chosen() {
        let past = today().pred_opt();
        let input = AssignmentInput { due: past.unwrap().to_string(), ..AssignmentInput::default() };
        assert_eq!(input.read(past, today()).unwrap().due, past);
        let range = Problem::DateOutOfRange(today(), today() + Assignment::LONGEST);
        assert_eq!(input.read(None, today()), Err(FieldErrors::one("due", range)));
        let input = AssignmentInput { due: today().to_string(), ..AssignmentInput::default() };
        assert!(input.read(None, today()).is_ok(), "today is possible");
    }
}
