//! Failures from their causes.

use super::terms;
use crate::{
    domain::{Failure, FailureCause, FailureFacts},
    locale::Locale,
};

/// A failure of this cause with its facts. Its English message is the catalogue's sentence.
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
    }
}
