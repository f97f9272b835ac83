//! Contract, "Check (scan)", `error`.

use serde::{Serialize, Serializer};

use crate::domain::{Failure, FailureCode};

/// Why a check or a page failed, as clients are shown it: what else is stored of it chooses the words of reports.
#[derive(Debug, Serialize)]
pub(super) struct FailureView<'a> {
    code: FailureCode,
    message: &'a str,
}

impl<'a> From<&'a Failure> for FailureView<'a> {
    fn from(failure: &'a Failure) -> Self {
        Self { code: failure.code, message: &failure.message }
    }
}

/// The same for a field that may be null.
pub(crate) fn serialize_option<S: Serializer>(failure: &Option<Failure>, serializer: S) -> Result<S::Ok, S::Error> {
    failure.as_ref().map(FailureView::from).serialize(serializer)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::domain::FailureCause;

    #[test]
    fn clients_are_shown_code_and_message_and_nothing_else() {
        let failure = Failure::new(FailureCode::Tls, "It has expired.")
            .because_of(FailureCause::CertificateExpired)
            .at_redirect_target("www.a.example");
        let shown = serde_json::to_value(FailureView::from(&failure)).unwrap();
        assert_eq!(shown, json!({"code": "tls", "message": "It has expired."}));
    }
}
