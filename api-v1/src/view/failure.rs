//! Contract §7.1, `error`.

use a11ycheck_core::domain::{Failure, FailureCode};
use schemars::JsonSchema;
use serde::Serialize;

/// The reason why a check, or one page of it, could not be done.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Failure")]
pub(super) struct FailureView<'a> {
    /// The reason for programs. Later versions may add codes.
    #[schemars(with = "String", extend("examples" = FailureCode::KNOWN))]
    code: FailureCode,
    /// The reason for people: of a page in the language of the answer, of a check in English.
    #[schemars(length(max = 500))]
    message: &'a str,
}

impl<'a> From<&'a Failure> for FailureView<'a> {
    fn from(failure: &'a Failure) -> Self {
        Self { code: failure.code, message: &failure.message }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use a11ycheck_core::domain::FailureCause;

    #[test]
    fn clients_are_shown_code_and_message_and_nothing_else() {
        let failure = Failure::new(FailureCode::Tls, "It has expired.")
            .because_of(FailureCause::CertificateExpired)
            .at_redirect_target("www.a.example");
        let shown = serde_json::to_value(FailureView::from(&failure)).unwrap();
        assert_eq!(shown, json!({"code": "tls", "message": "It has expired."}));
    }
}
