//! Failures: from their causes, and in the languages of reports.

use std::borrow::Cow;

use super::terms;
use crate::{
    domain::{Failure, FailureCause, FailureFacts},
    locale::Locale,
};

impl Failure {
    /// Returns the reason in one sentence for a site owner, in this language.
    ///
    /// ```
    /// use a11ycheck_core::{
    ///     domain::{Failure, FailureCode},
    ///     locale::Locale,
    /// };
    ///
    /// let failure = Failure::new(FailureCode::Timeout, "The page took too long.");
    /// assert_ne!(failure.text(Locale::De), failure.text(Locale::En));
    /// ```
    pub fn text(&self, locale: Locale) -> Cow<'static, str> {
        terms(locale).failure(self)
    }
}

/// Makes a failure of this cause with these facts. Its English message is the sentence of the catalogue.
pub fn failure_of(cause: FailureCause, facts: FailureFacts) -> Failure {
    let failure = Failure::new(cause.code(), "").because_of(cause);
    let failure = if facts == FailureFacts::default() { failure } else { failure.with_facts(facts) };
    let message = terms(Locale::En).failure(&failure).into_owned();
    failure.with_message(message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::FailureCode;

    #[test]
    fn a_failure_has_the_code_of_its_cause_and_a_message_with_its_facts() {
        let failure = failure_of(FailureCause::Status, FailureFacts::of_status(404));
        assert_eq!(failure.code, FailureCode::HttpStatus);
        assert_eq!(failure.message, "The web server answered with error status 404.");
        assert_eq!(failure.facts().status, Some(404));
        assert_eq!(failure.text(Locale::De), "Der Webserver hat mit dem Fehlerstatus 404 geantwortet.");
    }
}
