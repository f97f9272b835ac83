//! Problems with the fields of a request.

use chrono::TimeDelta;

use super::IsoDuration;

/// A problem with one field. It holds facts only; [`message`](crate::message) has the words.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// Missing, null or empty.
    Required,
    /// The body as a whole is not JSON.
    NotJson,
    /// Not a text.
    NotString,
    /// Neither true nor false.
    NotBoolean,
    /// Not a list.
    NotArray,
    /// Not a whole number.
    NotInteger,
    /// A text of more characters than this.
    TooLong(usize),
    /// A list of more items than this.
    TooMany(usize),
    /// None of the values that there are.
    NotInList,
    /// Not a web address.
    NotUrl,
    /// A web address that must not be visited, and why.
    NotPublic(String),
    /// A web address that does not begin with `https`.
    NotHttps,
    /// The team can have no more than this number of endpoints.
    EndpointLimit(u32),
    /// The endpoint is switched off.
    EndpointOff,
    /// A replaced secret can't sign along for a negative time, nor for longer than this.
    OverlapOutOfRange(TimeDelta),
    /// The delivery has not ended yet.
    DeliveryPending,
    /// The plan allows no more than this number of sites.
    SiteLimit(u32),
    /// A check of the site is queued or running.
    CheckActive,
    /// A manual check of the site was started less than this long ago.
    ManualTooSoon(IsoDuration),
}

/// The problems with the fields of a request, in the order in which the contract declares the fields.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FieldErrors(Vec<(String, Vec<Problem>)>);

impl FieldErrors {
    /// One problem of one field.
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

    /// Whether nothing is wrong.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Fields with their problems, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[Problem])> {
        self.0.iter().map(|(field, problems)| (field.as_str(), problems.as_slice()))
    }
}
