//! The words in which the refusals of use-cases reach clients: contract, "Errors".
//!
//! Other sentences come from where the facts are: why an address is refused from [`Refusal`](crate::net::Refusal), why a check failed from
//! its [`Failure`](crate::domain::Failure), and a frontend has those of its own protocol.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::{
    domain::{FieldErrors, Problem},
    error::Error,
};

/// The body of an error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ErrorBody {
    /// One English sentence.
    pub message: String,
    /// Problems by field, where fields are the trouble; fields in the contract's order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub errors: Option<Map<String, Value>>,
}

impl ErrorBody {
    /// A body with a sentence only.
    pub fn plain(message: &str) -> Self {
        Self { message: message.to_owned(), errors: None }
    }
}

/// What clients read for a path that leads nowhere, and for what is not theirs.
pub const NOT_FOUND: &str = "Not found.";

impl From<&Error> for ErrorBody {
    fn from(error: &Error) -> Self {
        match error {
            Error::Unauthenticated => Self::plain("Unauthenticated."),
            Error::TooManyRequests(_) => Self::plain("Too Many Attempts."),
            Error::TeamBlocked => Self::plain("This team is blocked."),
            Error::ApiNotIncluded => Self::plain("The API is not included in the current plan of this team."),
            Error::MissingAbility(_) => Self::plain("Invalid ability provided."),
            Error::NotFound => Self::plain(NOT_FOUND),
            Error::NoCompletedCheck => Self::plain("The site has no completed check yet."),
            Error::ExportsNotIncluded => {
                Self::plain("Issue exports are not included in the current plan of this team.")
            }
            Error::AcrNotIncluded => Self::plain("ACR drafts are not included in the current plan of this team."),
            Error::NotCompleted => Self::plain("The scan is not completed yet."),
            Error::PdfUnavailable => {
                Self::plain("The PDF could not be prepared right now. Please try again in a minute.")
            }
            Error::Invalid(fields) => fields.into(),
            Error::Unavailable(_) => Self::plain("The service is busy right now. Please try again in a moment."),
            Error::NoSealingKey | Error::Corrupt(_) => Self::plain("Server Error"),
        }
    }
}

impl From<&FieldErrors> for ErrorBody {
    fn from(fields: &FieldErrors) -> Self {
        let mut errors = Map::new();
        let mut all = Vec::new();
        for (field, problems) in fields.iter() {
            let words: Vec<String> = problems.iter().map(|problem| in_words(field, problem)).collect();
            all.extend(words.iter().cloned());
            errors.insert(field.to_owned(), words.into());
        }
        let message = match all.as_slice() {
            [] => "The request is not valid.".to_owned(),
            [only] => only.clone(),
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
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::domain::{IsoDuration, RawSite};

    fn body(fields: &FieldErrors) -> Value {
        serde_json::to_value(ErrorBody::from(fields)).unwrap()
    }

    #[test]
    fn an_empty_body_reads_as_in_the_contract() {
        let fields = RawSite::from(json!({})).check().err().unwrap();
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
    fn a_manual_check_that_comes_too_soon_is_told_the_plans_interval() {
        let message = |interval| body(&FieldErrors::one("site", Problem::ManualTooSoon(interval)))["message"].clone();
        assert_eq!(message(IsoDuration::hours(1)), "You started a check of this site less than an hour ago.");
        assert_eq!(message(IsoDuration::months(1)), "You started a check of this site less than a month ago.");
    }
}
