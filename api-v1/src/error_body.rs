//! The sentences in which the refusals of use-cases reach clients: contract §12.
//!
//! Sentences of the protocol are constants here. Others come from where the facts are: why an address is refused from
//! [`Refusal`](a11ycheck_core::net::Refusal), and why a check failed from its [`Failure`](a11ycheck_core::domain::Failure).

use std::collections::BTreeMap;

use a11ycheck_core::{
    Error,
    domain::{FieldErrors, Problem},
};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

/// The body of an error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ErrorBody {
    /// One English sentence.
    pub message: String,
    /// Problems by field, where fields are the trouble.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub errors: Option<FieldMessages>,
}

/// The sentences about each field, in the order in which the contract names the fields.
///
/// They are written as one JSON object. A list holds them and no map of `serde_json`, whose order another crate of the same
/// program decides by its feature `preserve_order`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldMessages(Vec<(String, Vec<String>)>);

impl FieldMessages {
    /// Returns each field with its sentences.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[String])> {
        self.0.iter().map(|(field, messages)| (field.as_str(), messages.as_slice()))
    }
}

impl Serialize for FieldMessages {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl ErrorBody {
    /// A body with a sentence only.
    pub fn plain(message: &str) -> Self {
        Self { message: message.to_owned(), errors: None }
    }

    /// Returns what clients read for a method that a path does not have; `allowed` are those that it has.
    pub fn method_not_allowed(used: &str, allowed: &str) -> Self {
        Self::plain(&format!("The {used} method is not supported for this address. Supported methods: {allowed}."))
    }

    /// What clients read for a path that leads nowhere, and for what is not theirs.
    pub const NOT_FOUND: &str = "Not found.";
    /// What clients read where the body did not arrive in time, or broke off.
    pub const BODY_TIMEOUT: &str = "The body of this request did not arrive in time.";
    /// What clients read where the body is larger than it may be.
    pub const BODY_TOO_LARGE: &str = "The body of this request is too large.";
    /// What clients read where the body says that it is something else than JSON.
    pub const NOT_JSON_BODY: &str =
        "The body of this request must be JSON. Send it with the header Content-Type: application/json.";
    /// What clients read where something broke that they can't correct.
    pub const SERVER_ERROR: &str = "Server Error";
    /// What clients read after too many requests.
    pub(crate) const TOO_MANY: &str = "Too Many Attempts.";
    /// What clients read where the service can't answer right now.
    pub(crate) const BUSY: &str = "The service is busy right now. Please try again in a moment.";
}

/// A refusal of a request. Decide by the status code: the wording may change between releases.
#[derive(JsonSchema)]
#[schemars(rename = "Error")]
#[expect(dead_code, reason = "it describes a body without `errors`")]
pub(crate) struct PlainBody {
    /// One English sentence.
    message: String,
}

/// A refusal that names fields of the request, or a limit that it exceeds.
#[derive(JsonSchema)]
#[schemars(rename = "FieldErrors")]
#[expect(dead_code, reason = "it describes a body with `errors`")]
pub(crate) struct FieldsBody {
    /// The first problem, and how many more there are.
    message: String,
    /// The problems by field; an item of a list is named `tags.0`.
    #[schemars(extend("minProperties" = 1))]
    errors: BTreeMap<String, Messages>,
}

/// The problems of the field.
#[derive(JsonSchema)]
#[schemars(inline, extend("minItems" = 1))]
#[expect(dead_code, reason = "it describes what `FieldMessages` writes")]
struct Messages(Vec<String>);

impl From<&Error> for ErrorBody {
    fn from(error: &Error) -> Self {
        match error {
            Error::Unauthenticated => Self::plain("Unauthenticated."),
            Error::TooManyRequests(_) => Self::plain(Self::TOO_MANY),
            Error::TeamBlocked => Self::plain("This team is blocked."),
            Error::ApiNotIncluded => Self::plain("The API is not included in the current plan of this team."),
            Error::MissingAbility(_) => Self::plain("Invalid ability provided."),
            Error::NotFound => Self::plain(Self::NOT_FOUND),
            Error::NoCompletedCheck => Self::plain("The site has no completed check yet."),
            Error::ExportsNotIncluded => {
                Self::plain("Issue exports are not included in the current plan of this team.")
            }
            Error::AcrNotIncluded => Self::plain("ACR drafts are not included in the current plan of this team."),
            // To a client, this service does not have the format.
            Error::NotBuiltIn(_) => (&FieldErrors::one("format", Problem::NotInList)).into(),
            Error::NotCompleted => Self::plain("The scan is not completed yet."),
            Error::PdfUnavailable => {
                Self::plain("The PDF could not be prepared right now. Please try again in a minute.")
            }
            Error::Invalid(fields) => fields.into(),
            Error::Unavailable(_) => Self::plain(Self::BUSY),
            // What the operator is refused reaches no client; the last are what a later version of core may add.
            Error::MayNotManage => Self::plain("Invalid ability provided."),
            Error::BlankName | Error::NoPlan(_) | Error::PlanInUse(_) | Error::InvalidSetting(_) => {
                Self::plain(&error.to_string())
            }
            _ => Self::plain(Self::SERVER_ERROR),
        }
    }
}

impl From<&FieldErrors> for ErrorBody {
    fn from(fields: &FieldErrors) -> Self {
        let of_field = |(field, problems): (&str, &[Problem])| {
            (field.to_owned(), problems.iter().map(|problem| in_words(field, problem)).collect())
        };
        let errors = FieldMessages(fields.iter().map(of_field).collect());
        let all: Vec<&String> = errors.iter().flat_map(|(_, messages)| messages).collect();
        let message = match all.as_slice() {
            [] => "The request is not valid.".to_owned(),
            [only] => (*only).clone(),
            [first, _] => format!("{first} (and 1 more error)"),
            [first, more @ ..] => format!("{first} (and {} more errors)", more.len()),
        };
        Self { message, errors: Some(errors) }
    }
}

fn in_words(field: &str, problem: &Problem) -> String {
    // Attribute names are spaced, but `tags.0` stays as it is.
    let name = field.replace('_', " ");
    match problem {
        Problem::Required => format!("The {name} field is required."),
        Problem::NotJson => "The body of this request must be valid JSON.".to_owned(),
        Problem::NotString => format!("The {name} field must be a string."),
        Problem::NotBoolean => format!("The {name} field must be true or false."),
        Problem::NotArray => format!("The {name} field must be an array."),
        Problem::NotInteger => format!("The {name} field must be an integer."),
        Problem::TooLong(max) => format!("The {name} field must not be greater than {max} characters."),
        Problem::TooMany(max) => format!("The {name} field must not have more than {max} items."),
        Problem::NotInList => format!("The selected {name} is invalid."),
        Problem::NotUrl => format!("The {name} field must be a valid URL."),
        Problem::NotPublic(reason) => format!("The {name} field must be a public address. {reason}"),
        Problem::NotHttps => format!("The {name} field must begin with https://."),
        Problem::EndpointLimit(max) => format!("A team can have {max} webhook endpoints."),
        Problem::EndpointOff => "The webhook endpoint is switched off. Switch it on first.".to_owned(),
        Problem::OverlapOutOfRange(longest) => {
            let hours = longest.num_hours();
            format!("The overlap must be between 0 and {hours} hours: so long does the old secret sign along at most.")
        }
        Problem::DeliveryPending => "The delivery has not ended yet: it is attempted again by itself.".to_owned(),
        Problem::SiteLimit(1) => "The current plan of this team includes 1 site.".to_owned(),
        Problem::SiteLimit(max) => format!("The current plan of this team includes {max} sites."),
        Problem::CheckActive => "A check of this site is already queued or running.".to_owned(),
        Problem::ManualTooSoon(interval) => {
            format!("You started a check of this site less than {} ago.", interval.in_words())
        }
        // What a later version of core may find.
        problem => format!("The {name} field {problem}."),
    }
}

#[cfg(test)]
mod tests {
    use a11ycheck_core::{domain::IsoDuration, export::Artifact};
    use serde_json::{Value, json};

    use super::*;

    fn body(fields: &FieldErrors) -> Value {
        serde_json::to_value(ErrorBody::from(fields)).unwrap()
    }

    #[test]
    fn an_empty_body_reads_as_in_the_contract() {
        let fields = crate::site_input(&json!({})).unwrap_err();
        assert_eq!(
            body(&fields),
            json!({
                "message": "The url field is required. (and 1 more error)",
                "errors": {
                    "url": ["The url field is required."],
                    "report_locale": ["The report locale field is required."],
                },
            })
        );
    }

    /// As bytes: a map would compare equal in any order.
    #[test]
    fn fields_stand_in_the_order_in_which_they_were_refused() {
        let mut fields = FieldErrors::one("url", Problem::Required);
        fields.add("report_locale", Problem::Required);
        fields.add("name", Problem::NotString);
        fields.add("url", Problem::NotUrl);
        assert_eq!(
            serde_json::to_string(&ErrorBody::from(&fields)).unwrap(),
            r#"{"message":"The url field is required. (and 3 more errors)","errors":{"url":["The url field is required.","The url field must be a valid URL."],"report_locale":["The report locale field is required."],"name":["The name field must be a string."]}}"#
        );
    }

    #[test]
    fn the_summary_counts_messages_and_items_keep_their_key() {
        let mut fields = FieldErrors::one("url", Problem::Required);
        fields.add("tags", Problem::TooMany(10));
        fields.add("tags.0", Problem::TooLong(40));
        let body = body(&fields);
        assert_eq!(body["message"], "The url field is required. (and 2 more errors)");
        assert_eq!(body["errors"]["tags.0"][0], "The tags.0 field must not be greater than 40 characters.");
    }

    #[test]
    fn a_file_that_is_not_built_in_is_a_format_that_does_not_exist() {
        let body = serde_json::to_value(ErrorBody::from(&Error::NotBuiltIn(Artifact::AcrPdf))).unwrap();
        let words = "The selected format is invalid.";
        assert_eq!(body, json!({"message": words, "errors": {"format": [words]}}));
    }

    #[test]
    fn a_manual_check_that_comes_too_soon_is_told_the_plans_interval() {
        let message = |interval| body(&FieldErrors::one("site", Problem::ManualTooSoon(interval)))["message"].clone();
        assert_eq!(message(IsoDuration::hours(1)), "You started a check of this site less than an hour ago.");
        assert_eq!(message(IsoDuration::months(1)), "You started a check of this site less than a month ago.");
    }
}
