//! The published rendering of the document.

use a11ycheck_core::webhook::HeaderPrefix;
use schemars::{
    Schema,
    transform::{RecursiveTransform, Transform as _},
};
use serde_json::Value;

use super::document::strict;
use crate::Links;

/// Returns the description of an installation that is reached below these links, and whose headers begin with this prefix.
#[expect(clippy::expect_used, reason = "a JSON value has names that are text, and its writing to memory can't fail")]
pub fn published(links: &Links, prefix: &HeaderPrefix) -> String {
    let mut document = strict();
    document["servers"][0]["url"] = links.base().into();
    for (name, schema) in document["components"]["schemas"].as_object_mut().into_iter().flatten() {
        let Ok(schema) = <&mut Schema>::try_from(schema) else { continue };
        // Of requests this release knows every word.
        if !["NewSite", "Language"].contains(&name.as_str()) {
            RecursiveTransform(open).transform(schema);
        }
        // Clients take ids as they are: a later release may write them in another form.
        if name.ends_with("Id") {
            schema.remove("pattern");
        }
    }
    document.sort_all_objects();
    let text = serde_json::to_string(&Ordered(&document)).expect("a JSON value can be written as JSON");
    text.replace("Svc-", &prefix.header(""))
}

/// Writes media types with the PDF first: generators of clients take the first of an answer, and binary is what fits every file.
struct Ordered<'a>(&'a Value);

impl serde::Serialize for Ordered<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        const FIRST: &str = "application/pdf";
        match self.0 {
            Value::Object(members) => {
                let (first, others): (Vec<_>, Vec<_>) = members.iter().partition(|(name, _)| *name == FIRST);
                serializer.collect_map(first.into_iter().chain(others).map(|(name, value)| (name, Ordered(value))))
            }
            Value::Array(items) => serializer.collect_seq(items.iter().map(Ordered)),
            other => other.serialize(serializer),
        }
    }
}

/// Describes numbers without the widths of Rust's integers, and in texts without the line breaks of comments.
pub(super) fn plain(schema: &mut Schema) {
    let format = schema.get("format").and_then(Value::as_str).unwrap_or_default();
    if format.trim_start_matches('u').starts_with("int") {
        schema.remove("format");
        if schema.get("maximum").is_some_and(|maximum| *maximum == u8::MAX) {
            schema.remove("maximum");
        }
    }
    if let Some(Value::String(text)) = schema.get_mut("description") {
        *text = text.replace('\n', " ");
    }
}

/// Lets a schema of answers admit what a later release may answer with: words beside those that are known.
fn open(schema: &mut Schema) {
    if let Some(words) = schema.remove("enum") {
        schema.insert("examples".to_owned(), words.clone());
        schema.insert("x-extensible-enum".to_owned(), words);
    }
}

#[cfg(test)]
mod tests {
    use a11ycheck_core::domain::BaseUrl;
    use serde_json::json;

    use super::*;
    use crate::samples;

    fn of(prefix: &str, base: &str) -> Value {
        let links = Links::new(&BaseUrl::parse(base).unwrap());
        serde_json::from_str(&published(&links, &HeaderPrefix::new(prefix).unwrap())).unwrap()
    }

    #[test]
    fn a_service_describes_itself_with_its_own_address_and_headers() {
        let document = of("Acme-", "https://a11y.test/api/v1");
        let servers = document["servers"].as_array().unwrap();
        assert_eq!(servers.len(), 1);
        assert_eq!(servers[0]["url"], "https://a11y.test/api/v1");
        assert_eq!(document["components"]["parameters"]["Acme-Event"]["name"], "Acme-Event");
        let answer = &document["paths"]["/scans/{scan}/pdf"]["get"]["responses"]["200"];
        assert!(answer["headers"].get("Acme-Scan").is_some());
    }

    #[test]
    fn the_copy_in_the_repository_is_what_is_published() {
        let copy = concat!(env!("CARGO_MANIFEST_DIR"), "/openapi.json");
        let text = format!("{:#}\n", of("Svc-", samples::BASE));
        if std::env::var_os("A11YCHECK_RENEW_OPENAPI").is_some() {
            std::fs::write(copy, &text).unwrap();
        }
        assert!(
            std::fs::read_to_string(copy).unwrap() == text,
            "api-v1/openapi.json is not what is published: run `A11YCHECK_RENEW_OPENAPI=1 cargo test -p a11ycheck-api-v1 copy`, and \
             review the difference"
        );
    }

    #[test]
    fn what_is_published_leaves_room_for_later_releases() {
        let document = of("Svc-", samples::BASE);
        for (path, item) in document["paths"].as_object().unwrap() {
            assert!(item.get("head").is_none(), "{path}");
            for operation in item.as_object().unwrap().values() {
                assert!(operation["responses"].get("405").is_some(), "{path}");
            }
        }
        for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
            let text = schema.to_string();
            assert!(!text.contains("{25}$") && !text.contains(r#""additionalProperties":false"#), "{name}: {text}");
            let is_of_requests = ["Language", "NewSite"].contains(&name.as_str());
            assert!(is_of_requests || !text.contains(r#""enum""#), "{name}: {text}");
        }
        let required = |schema: &str| document["components"]["schemas"][schema]["required"].clone();
        assert_eq!(required("NewSite"), json!(["url", "report_locale"]));
        let words = &document["components"]["schemas"]["Scan"]["properties"]["status"];
        assert_eq!(words["x-extensible-enum"], json!(["queued", "running", "completed", "failed"]));
        let text = published(&Links::new(&BaseUrl::parse(samples::BASE).unwrap()), &HeaderPrefix::default());
        let files = text.matches(r#""application/pdf":"#).count();
        assert_eq!(
            (files, text.matches(r#""content":{"application/pdf":"#).count()),
            (files, files),
            "PDF comes first"
        );
        for path in ["/scans/{scan}/export", "/scans/{scan}/acr"] {
            let content = &document["paths"][path]["get"]["responses"]["200"]["content"];
            assert_eq!(content["application/pdf"]["schema"]["format"], json!("binary"), "{path}");
        }
    }
}
