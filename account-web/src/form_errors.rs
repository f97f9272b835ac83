//! What is wrong with a form, in the reader's language.

use a11ycheck_core::{
    Error,
    catalog::fill,
    domain::{Assignment, FieldErrors, Judgement, Problem},
};

use chrono::DateTime;

use crate::words::Words;

/// The problems of a form, in the order of its fields: shown above the form, each with a link to its field, and beside the field.
#[derive(Debug, Clone, Default)]
pub(crate) struct FormErrors(Vec<FormError>);

/// A problem with one field.
#[derive(Debug, Clone)]
pub(crate) struct FormError {
    /// The id of the field.
    pub(crate) field: String,
    /// The problem, as a sentence.
    pub(crate) text: String,
}

impl FormErrors {
    /// Returns a problem of one field.
    pub(crate) fn one(field: &str, text: &str) -> Self {
        let mut errors = Self::default();
        errors.add(field, text);
        errors
    }

    pub(crate) fn add(&mut self, field: &str, text: &str) {
        self.0.push(FormError { field: field.to_owned(), text: text.to_owned() });
    }

    /// Adds a sentence with values in it.
    pub(crate) fn add_filled(&mut self, field: &str, text: &str, values: &[(&str, String)]) {
        let values: Vec<_> = values.iter().map(|(name, value)| (*name, value.as_str())).collect();
        self.add(field, &fill(text, &values));
    }

    /// Adds a problem if there is none yet.
    pub(crate) fn or(&mut self, field: &str, text: &str) {
        if self.is_empty() {
            self.add(field, text);
        }
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &FormError> {
        self.0.iter()
    }

    /// Returns the first problem of a field.
    pub(crate) fn of(&self, field: &str) -> Option<&str> {
        self.0.iter().find(|error| error.field == field).map(|error| error.text.as_str())
    }

    /// Takes the problems that a use-case has found. Items of a list count as problems of its field.
    pub(crate) fn of_fields(fields: &FieldErrors, words: &Words) -> Self {
        let mut errors = Self::default();
        for (field, problems) in fields.iter() {
            let field = field.split('.').next().unwrap_or(field);
            for problem in problems {
                let text = match (field, problem) {
                    (field, Problem::Required) => missing(field, words).to_owned(),
                    _ => sentence(problem, words),
                };
                errors.add(field, &text);
            }
        }
        errors
    }

    /// Takes a refusal that is about a field of the form that was sent.
    ///
    /// # Errors
    /// Returns the error if it is about something else.
    pub(crate) fn of_refusal(error: Error, field: &str, words: &Words) -> Result<Self, Error> {
        let problems = &words.problems;
        let text = match &error {
            Error::Invalid(fields) => return Ok(Self::of_fields(fields, words)),
            Error::AddressTaken => problems.address_taken.clone(),
            Error::AlreadyMember => problems.already_member.clone(),
            Error::NoFreeSeat(seats) => fill(&problems.no_free_seat, &[("most", &seats.to_string())]),
            Error::LastOwner => problems.last_owner.clone(),
            Error::TooManyInvitations => problems.too_many_invitations.clone(),
            Error::TooManyJudgements => fill(&problems.too_many_judgements, &[("most", &Judgement::MOST.to_string())]),
            Error::TooManyAssignments => {
                fill(&problems.too_many_assignments, &[("most", &Assignment::MOST.to_string())])
            }
            Error::BlankName => problems.blank_name.clone(),
            Error::NoPlan(_) => problems.not_in_list.clone(),
            _ => return Err(error),
        };
        Ok(Self::one(field, &text))
    }
}

impl FormErrors {
    /// Takes a refusal as [`of_refusal`](Self::of_refusal) does, with all of its problems at one field of a form that has no others.
    ///
    /// # Errors
    /// Returns the error if it is about something else.
    pub(crate) fn of_refusal_at(error: Error, field: &str, words: &Words) -> Result<Self, Error> {
        let mut errors = Self::of_refusal(error, field, words)?;
        for error in &mut errors.0 {
            field.clone_into(&mut error.field);
        }
        Ok(errors)
    }
}

/// Returns the message for a required field that is empty. It names what to enter, because the list above the form
/// shows the message without the field.
pub(crate) fn missing<'w>(field: &str, words: &'w Words) -> &'w str {
    let words = &words.problems;
    match field {
        "verdict" => &words.verdict,
        "name" => &words.missing_name,
        "url" => &words.not_url,
        "until" | "since" => &words.not_date,
        "events" => &words.missing_events,
        "choices" => &words.missing_choices,
        "element" => &words.missing_elements,
        "file" => &words.missing_file,
        _ if field == "note" || field.starts_with("note-") => &words.missing_note,
        _ if field.starts_with("outcome-") => &words.outcome,
        _ => &words.required,
    }
}

/// Returns a sentence about a problem with a field.
pub(crate) fn sentence(problem: &Problem, words: &Words) -> String {
    let words = &words.problems;
    let most = |text: &str, most: String| fill(text, &[("most", &most)]);
    match problem {
        Problem::Required => words.required.clone(),
        Problem::TooLong(length) => most(&words.too_long, length.to_string()),
        Problem::TooShort(length) => fill(&words.too_short, &[("least", &length.to_string())]),
        Problem::TooMany(number) => most(&words.too_many, number.to_string()),
        Problem::NotInList => words.not_in_list.clone(),
        Problem::NotUrl => words.not_url.clone(),
        Problem::NotPublic(_) => words.not_public.clone(),
        Problem::NotHttps => words.not_https.clone(),
        Problem::EndpointLimit(limit) => most(&words.endpoint_limit, limit.to_string()),
        Problem::EndpointOff => words.endpoint_off.clone(),
        Problem::DeliveryPending => words.delivery_pending.clone(),
        Problem::SiteLimit(limit) => most(&words.site_limit, limit.to_string()),
        Problem::Repeated(line) => fill(&words.repeated, &[("line", &line.to_string())]),
        Problem::Taken => words.taken.clone(),
        Problem::InUse(value, sites) => fill(&words.in_use, &[("value", value), ("sites", &sites.to_string())]),
        Problem::Ambiguous => words.ambiguous.clone(),
        Problem::CheckActive => words.check_active.clone(),
        Problem::ManualTooSoon(interval) => most(
            &words.manual_too_soon,
            crate::time::clock(interval.after(DateTime::UNIX_EPOCH) - DateTime::UNIX_EPOCH),
        ),
        Problem::NotDate => words.not_date.clone(),
        Problem::DateOutOfRange(first, last) => {
            fill(&words.date_out_of_range, &[("first", &first.to_string()), ("last", &last.to_string())])
        }
        // Problems of JSON, which no form can have, and those of later releases.
        _ => words.other.clone(),
    }
}
