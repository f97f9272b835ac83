//! `/openapi.json`: the description of the API, for clients that have no token yet.

use a11ycheck_core::{Service, webhook::HeaderPrefix};
use bytes::Bytes;
use serde_json::Value;
use warp::{
    Filter,
    filters::BoxedFilter,
    http::{HeaderValue, Method, header},
    reply::Response,
};

use crate::visit::Visit;

/// OpenAPI 3.1. The tests over HTTP hold every answer of the server against it, and it against the server.
const DOCUMENT: &str = include_str!("../openapi.json");

pub(crate) fn routes(door: &BoxedFilter<(Visit,)>, service: &Service) -> BoxedFilter<(Response,)> {
    let document = Bytes::from(document_of(service.links().base(), service.header_prefix()));
    let routes = warp::path!("openapi.json").and(door.clone()).then(move |visit: Visit| {
        let document = document.clone();
        async move {
            match visit.method {
                Method::GET | Method::HEAD => visit.answer_anyone(json(document)).await,
                _ => visit.wrong_method("GET, HEAD").await,
            }
        }
    });
    routes.boxed()
}

/// The document of a service that is reached at this address, and whose headers begin with this prefix.
fn document_of(base_url: &str, prefix: &HeaderPrefix) -> String {
    // The file is part of the crate, and a test below reads it.
    #[expect(clippy::expect_used, reason = "a test reads the same text")]
    let mut document: Value =
        serde_json::from_str(&DOCUMENT.replace("Svc-", &prefix.header(""))).expect("the document is JSON");
    document["servers"][0]["url"] = base_url.into();
    document.to_string()
}

fn json(document: Bytes) -> Response {
    let mut response = Response::new(document.into());
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_describes_itself_with_its_own_address_and_headers() {
        let prefix = HeaderPrefix::new("Acme-").unwrap();
        let document: Value = serde_json::from_str(&document_of("https://a11y.test/api/v1", &prefix)).unwrap();
        let servers = document["servers"].as_array().unwrap();
        assert_eq!(servers.len(), 1);
        assert_eq!(servers[0]["url"], "https://a11y.test/api/v1");
        assert_eq!(document["components"]["parameters"]["EventType"]["name"], "Acme-Event");
        assert!(document["components"]["responses"]["IssueFile"]["headers"].get("Acme-Scan").is_some());
    }

    #[test]
    fn the_file_is_written_as_a_formatter_would_so_that_changes_are_small() {
        let document: Value = serde_json::from_str(DOCUMENT).unwrap();
        assert!(format!("{document:#}\n") == DOCUMENT, "openapi.json: indent by two spaces, one value per line");
    }
}
