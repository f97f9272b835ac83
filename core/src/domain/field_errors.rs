//! Problems with the fields of a request.

use std::fmt;

use chrono::{NaiveDate, TimeDelta};

use super::IsoDuration;

/// A problem with one field. Its `Display` is the rest of a sentence that begins with the field's name, for developers;
/// a frontend has its own wording for its clients.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// The value is missing, null or empty.
    Required,
    /// The body as a whole is not JSON.
    NotJson,
    /// The value is not a text.
    NotString,
    /// The value is neither true nor false.
    NotBoolean,
    /// The value is not a list.
    NotArray,
    /// The value is not a whole number.
    NotInteger,
    /// The text has more characters than this.
    TooLong(usize),
    /// The text has fewer characters than this.
    TooShort(usize),
    /// The list has more items than this.
    TooMany(usize),
    /// The value is not one of those that exist.
    NotInList,
    /// The value is not a web address.
    NotUrl,
    /// The web address must not be visited, for this reason.
    NotPublic(String),
    /// The web address does not begin with `https`.
    NotHttps,
    /// The team can have no more than this number of endpoints.
    EndpointLimit(u32),
    /// The endpoint is switched off.
    EndpointOff,
    /// The overlap, for which a replaced secret still signs, is negative or longer than this.
    OverlapOutOfRange(TimeDelta),
    /// The delivery has not ended yet.
    DeliveryPending,
    /// The plan allows no more than this number of sites.
    SiteLimit(u32),
    /// The same value is in the line with this number.
    Repeated(u64),
    /// Another one has the value already.
    Taken,
    /// So many sites carry this value, which would be gone.
    InUse(String, u64),
    /// Several of the team's sites have this address, so that it is not clear which one is meant.
    Ambiguous,
    /// A check of the site is queued or running.
    CheckActive,
    /// A manual check of the site was started less than this long ago.
    ManualTooSoon(IsoDuration),
    /// The value is not a day of the calendar.
    NotDate,
    /// The day is not between these two.
    DateOutOfRange(NaiveDate, NaiveDate),
}

/// The problems with the fields of a request, in the order in which the contract declares the fields.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FieldErrors(Vec<(String, Vec<Problem>)>);

impl FieldErrors {
    /// Makes errors of one problem of one field.
    pub fn one(field: &str, problem: Problem) -> Self {
        let mut errors = Self::default();
        errors.add(field, problem);
        errors
    }

    /// Adds a problem; fields keep the order in which they first had one.
    pub fn add(&mut self, field: &str, problem: Problem) {
        match self.0.iter_mut().find(|(name, _)| name == field) {
            Some((_, problems)) => problems.push(problem),
            None => self.0.push((field.to_owned(), vec![problem])),
        }
    }

    /// Returns whether there is no problem.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the fields with their problems, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[Problem])> {
        self.0.iter().map(|(field, problems)| (field.as_str(), problems.as_slice()))
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Required => f.write_str("is required"),
            Self::NotJson => f.write_str("is not valid JSON"),
            Self::NotString => f.write_str("is not a string"),
            Self::NotBoolean => f.write_str("is neither true nor false"),
            Self::NotArray => f.write_str("is not a list"),
            Self::NotInteger => f.write_str("is not an integer"),
            Self::TooLong(max) => write!(f, "has more than {max} characters"),
            Self::TooShort(min) => write!(f, "has fewer than {min} characters"),
            Self::TooMany(max) => write!(f, "has more than {max} items"),
            Self::NotInList => f.write_str("is not one of the values that exist"),
            Self::NotUrl => f.write_str("is not a web address"),
            Self::NotPublic(reason) => f.write_str(reason),
            Self::NotHttps => f.write_str("does not begin with https://"),
            Self::EndpointLimit(max) => write!(f, "a team has at most {max} endpoints"),
            Self::EndpointOff => f.write_str("is switched off"),
            Self::OverlapOutOfRange(longest) => write!(f, "is not between 0 and {} hours", longest.num_hours()),
            Self::DeliveryPending => f.write_str("has not ended yet"),
            Self::SiteLimit(1) => f.write_str("the plan includes 1 site"),
            Self::SiteLimit(max) => write!(f, "the plan includes {max} sites"),
            Self::Repeated(line) => write!(f, "is also in line {line}"),
            Self::Taken => f.write_str("is taken"),
            Self::InUse(value, sites) => write!(f, "lacks {value:?}, which {sites} sites carry"),
            Self::Ambiguous => f.write_str("is that of several sites"),
            Self::CheckActive => f.write_str("a check is already queued or running"),
            Self::ManualTooSoon(interval) => write!(f, "a check was started less than {} ago", interval.in_words()),
            Self::NotDate => f.write_str("is not a day of the calendar"),
            Self::DateOutOfRange(first, last) => write!(f, "is not between {first} and {last}"),
        }
    }
}

impl std::error::Error for FieldErrors {}

impl fmt::Display for FieldErrors {
    /// Names each field with its problems: `url: is required; tags.0: has more than 40 characters`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let problems = self.iter().flat_map(|(field, problems)| problems.iter().map(move |problem| (field, problem)));
        for (index, (field, problem)) in problems.enumerate() {
            let separator = if index == 0 { "" } else { "; " };
            write!(f, "{separator}{field}: {problem}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_display_of_field_errors_names_each_field_and_its_problems() {
        let mut errors =
            FieldErrors::one("url", Problem::NotPublic("The address belongs to a private network.".to_owned()));
        errors.add("tags.0", Problem::TooLong(40));
        errors.add("tags.0", Problem::NotString);
        let text = "url: The address belongs to a private network.; tags.0: has more than 40 characters; tags.0: is not a string";
        assert_eq!(errors.to_string(), text);
    }
}
