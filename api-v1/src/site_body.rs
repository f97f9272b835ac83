//! The body of `POST /sites`: every field rule of the contract in one pass, all errors at once.

use a11ycheck_core::{
    domain::{FieldErrors, PlatformKey, Problem, SiteInput, SiteName, SiteUrl, SiteUrlError, StandardId, Tag},
    locale::Locale,
};
use schemars::JsonSchema;
use serde_json::Value;

use crate::file_query::Language;

/// A site to be added. Texts are trimmed, an empty text counts as null, and unknown fields are ignored.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "it describes a body that is read field by field, for the sake of its refusals")]
pub(crate) struct NewSite {
    /// A public address of at most 500 characters as it is typed, however long it becomes when it is encoded; `https://` is added
    /// where the scheme was left out. Private networks, local addresses and blocked domains are refused with 422.
    #[schemars(length(min = 1, max = SiteUrl::MAX_TYPED))]
    url: String,
    /// The name that the team gives it.
    #[schemars(length(max = SiteName::MAX_LENGTH), skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// The language of its reports.
    report_locale: Language,
    /// One platform key; the older form of `stack`, and ahead of it where both are given, as a ninth beside eight others.
    #[schemars(length(max = PlatformKey::MAX_LENGTH), skip_serializing_if = "Option::is_none")]
    platform: Option<String>,
    /// Platform keys; fixing tips follow the first shop platform.
    #[schemars(length(max = SiteInput::MAX_STACK), inner(length(min = 1, max = PlatformKey::MAX_LENGTH)))]
    #[schemars(skip_serializing_if = "Vec::is_empty")]
    stack: Vec<String>,
    /// Labels to find it by; a repeated one counts once. An empty item counts as null and is refused.
    #[schemars(length(max = SiteInput::MAX_TAGS), inner(length(min = 1, max = Tag::MAX_LENGTH)))]
    #[schemars(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
    /// The standard against which it is checked; the operator's choice for all sites where it is left out.
    #[schemars(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = crate::openapi::open)]
    standard: Option<StandardId>,
    /// Whether the first check starts right away; true where it is left out.
    #[schemars(skip_serializing_if = "std::ops::Not::not")]
    scan: bool,
}

/// Reads the body of `POST /sites`. Fields that the contract does not name change nothing, and a body that is no object has no
/// fields.
///
/// # Errors
/// Returns every problem with every field, in the order in which the contract declares the fields.
pub fn site_input(body: &Value) -> Result<SiteInput, FieldErrors> {
    let mut fields = Fields { body, errors: FieldErrors::default() };
    let url = fields.required_text("url").and_then(|text| match SiteUrl::typed(&text) {
        Ok(url) => Some(url),
        Err(SiteUrlError::TooLong) => fields.refuse("url", Problem::TooLong(SiteUrl::MAX_TYPED)),
        Err(SiteUrlError::Invalid) => fields.refuse("url", Problem::NotUrl),
    });
    let name = fields.text("name", SiteName::MAX_LENGTH);
    let report_locale = fields.required_text("report_locale").and_then(|code| match code.parse::<Locale>() {
        Ok(locale) => Some(locale),
        Err(_) => fields.refuse("report_locale", Problem::NotInList),
    });
    let platform = fields.text("platform", PlatformKey::MAX_LENGTH);
    let stack = fields.texts("stack", SiteInput::MAX_STACK, PlatformKey::MAX_LENGTH);
    let tags = fields.texts("tags", SiteInput::MAX_TAGS, Tag::MAX_LENGTH);
    let standard = fields.text("standard", usize::MAX).and_then(|word| match StandardId::known(&word) {
        Some(standard) => Some(standard),
        None => fields.refuse("standard", Problem::NotInList),
    });
    let scan = fields.flag("scan").unwrap_or(true);

    match (url, report_locale) {
        (Some(url), Some(report_locale)) if fields.errors.is_empty() => {
            let stack = stack.iter().map(|key| PlatformKey::new(key));
            // Their lengths were judged above, as far as they are judged at all.
            let tags = tags.iter().filter_map(|tag| Tag::new(tag).ok());
            let input = SiteInput::new(url).with_report_locale(report_locale).with_stack(stack).with_tags(tags);
            let input = name.and_then(|name| SiteName::new(&name).ok()).into_iter().fold(input, SiteInput::with_name);
            let platform = platform.map(|key| PlatformKey::new(&key));
            let input = platform.into_iter().fold(input, SiteInput::with_platform);
            let input = standard.into_iter().fold(input, SiteInput::with_standard);
            Ok(if scan { input } else { input.without_first_scan() })
        }
        _ => Err(fields.errors),
    }
}

/// U+0000 goes the way of white space: nobody sees it, and PostgreSQL text cannot hold it.
fn trimmed(text: &str) -> &str {
    text.trim_matches(|character: char| character.is_whitespace() || character == '\0')
}

/// Reads fields of a JSON object as the contract's messages imply: texts are trimmed, and an empty text counts as null.
struct Fields<'a> {
    body: &'a Value,
    errors: FieldErrors,
}

impl Fields<'_> {
    fn refuse<T>(&mut self, field: &str, problem: Problem) -> Option<T> {
        self.errors.add(field, problem);
        None
    }

    fn value(&self, field: &str) -> Option<Value> {
        match self.body.get(field)? {
            Value::Null => None,
            Value::String(text) => Some(trimmed(text)).filter(|text| !text.is_empty()).map(Value::from),
            other => Some(other.clone()),
        }
    }

    fn required_text(&mut self, field: &str) -> Option<String> {
        match self.value(field) {
            None => self.refuse(field, Problem::Required),
            Some(Value::String(text)) => Some(text),
            Some(_) => self.refuse(field, Problem::NotString),
        }
    }

    fn text(&mut self, field: &str, max: usize) -> Option<String> {
        match self.value(field)? {
            Value::String(text) if text.chars().count() > max => self.refuse(field, Problem::TooLong(max)),
            Value::String(text) => Some(text.replace('\0', "")),
            _ => self.refuse(field, Problem::NotString),
        }
    }

    fn texts(&mut self, field: &str, max_items: usize, max_length: usize) -> Vec<String> {
        let items = match self.value(field) {
            None => return vec![],
            Some(Value::Array(items)) => items,
            Some(_) => {
                self.errors.add(field, Problem::NotArray);
                return vec![];
            }
        };
        if items.len() > max_items {
            self.errors.add(field, Problem::TooMany(max_items));
        }
        // The items of a list that is too long are not looked at: a client must not be able to ask for ten thousand messages.
        let items = items.into_iter().take(max_items).enumerate();
        items
            .filter_map(|(index, item)| {
                let name = format!("{field}.{index}");
                match item {
                    // An empty text counts as null, and an item that is null is one that was left out.
                    Value::Null => self.refuse(&name, Problem::Required),
                    Value::String(text) if trimmed(&text).is_empty() => self.refuse(&name, Problem::Required),
                    Value::String(text) if trimmed(&text).chars().count() > max_length => {
                        self.refuse(&name, Problem::TooLong(max_length))
                    }
                    Value::String(text) => Some(trimmed(&text).replace('\0', "")),
                    _ => self.refuse(&name, Problem::NotString),
                }
            })
            .collect()
    }

    /// As clients of web forms send it: true, false, 1, 0, "1", "0".
    fn flag(&mut self, field: &str) -> Option<bool> {
        match self.value(field)? {
            Value::Bool(flag) => Some(flag),
            Value::Number(number) if number.as_u64() == Some(1) => Some(true),
            Value::Number(number) if number.as_u64() == Some(0) => Some(false),
            Value::String(text) if text == "1" => Some(true),
            Value::String(text) if text == "0" => Some(false),
            _ => self.refuse(field, Problem::NotBoolean),
        }
    }
}

#[cfg(test)]
mod tests {
    use a11ycheck_core::domain::SiteDetails;
    use serde_json::json;

    use super::*;

    fn errors(body: Value) -> Vec<(String, Vec<Problem>)> {
        let errors = site_input(&body).err().unwrap_or_default();
        errors.iter().map(|(field, problems)| (field.to_owned(), problems.to_vec())).collect()
    }

    fn details(body: Value) -> SiteDetails {
        site_input(&body).and_then(SiteInput::into_details).unwrap_or_else(|errors| panic!("{errors:?}"))
    }

    #[test]
    fn an_empty_body_lacks_url_and_report_locale() {
        let required = |field: &str| (field.to_owned(), vec![Problem::Required]);
        assert_eq!(errors(json!({})), [required("url"), required("report_locale")]);
        assert_eq!(errors(json!({"url": "  ", "report_locale": null})), [required("url"), required("report_locale")]);
        assert_eq!(errors(json!([])), [required("url"), required("report_locale")]);
    }

    #[test]
    fn each_field_rule_is_held_at_its_edge() {
        let with = |field: &str, value: Value| {
            let mut body = json!({"url": "example.com", "report_locale": "en"});
            body[field] = value;
            errors(body)
        };
        let one = |field: &str, problem: Problem| vec![(field.to_owned(), vec![problem])];
        let text = |length: usize| "ж".repeat(length);

        assert_eq!(with("url", json!(5)), one("url", Problem::NotString));
        assert_eq!(with("url", json!(format!("example.com/{}", text(488)))), []);
        assert_eq!(with("url", json!(format!("example.com/{}", text(489)))), one("url", Problem::TooLong(500)));
        assert_eq!(with("url", json!("ftp://example.com")), one("url", Problem::NotUrl));
        assert_eq!(with("name", json!(text(120))), []);
        assert_eq!(with("name", json!(text(121))), one("name", Problem::TooLong(120)));
        assert_eq!(with("name", json!(["x"])), one("name", Problem::NotString));
        assert_eq!(with("report_locale", json!("EN")), one("report_locale", Problem::NotInList));
        assert_eq!(with("platform", json!(false)), one("platform", Problem::NotString));
        assert_eq!(with("stack", json!("shopify")), one("stack", Problem::NotArray));
        assert_eq!(with("stack", json!(vec!["a"; 8])), []);
        assert_eq!(with("stack", json!(vec!["a"; 9])), one("stack", Problem::TooMany(8)));
        assert_eq!(with("tags", json!(vec!["a"; 10])), []);
        assert_eq!(with("tags", json!(vec!["a"; 11])), one("tags", Problem::TooMany(10)));
        assert_eq!(with("tags", json!([text(40), text(41)])), one("tags.1", Problem::TooLong(40)));
        assert_eq!(with("tags", json!(["a", 1])), one("tags.1", Problem::NotString));
        for empty in [json!(""), json!("  "), json!(null)] {
            assert_eq!(with("tags", json!(["a", empty])), one("tags.1", Problem::Required));
        }
        assert_eq!(with("scan", json!("yes")), one("scan", Problem::NotBoolean));
        for flag in [json!(true), json!(0), json!("1"), json!(null)] {
            assert_eq!(with("scan", flag), []);
        }
    }

    #[test]
    fn texts_are_trimmed_and_repeated_tags_count_once() {
        let site =
            details(json!({"url": " example.com ", "report_locale": "uk", "name": "  ", "tags": [" a", "b", "a "]}));
        assert_eq!((site.name, site.tags), (None, vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!(site.url.as_str(), "https://example.com/");
    }

    #[test]
    fn a_text_of_nothing_but_nul_counts_as_null() {
        let body =
            json!({"url": "a.example", "report_locale": "en", "name": "\0 \0", "platform": "\0", "tags": ["a\0b"]});
        let site = details(body);
        assert_eq!((site.name, site.stack, site.tags), (None, vec![], vec!["ab".to_owned()]));
        let body = json!({"url": "\0", "report_locale": "en", "tags": ["\0"]});
        let fields: Vec<String> = errors(body).into_iter().map(|(field, _)| field).collect();
        assert_eq!(fields, ["url", "tags.0"]);
    }

    #[test]
    fn platform_is_the_older_form_of_stack() {
        let site = details(
            json!({"url": "a.example", "report_locale": "en", "platform": "Shopify", "stack": ["vue", "shopify"]}),
        );
        assert_eq!(site.stack.iter().map(PlatformKey::as_str).collect::<Vec<_>>(), ["shopify", "vue"]);
    }

    #[test]
    fn a_platform_beside_a_full_stack_is_kept_as_a_ninth_and_reads_back_as_given() {
        let keys = ["wordpress", "woocommerce", "c", "d", "e", "f", "g", "h"];
        let site = details(json!({"url": "a.example", "report_locale": "en", "platform": "vue", "stack": keys}));
        let stack: Vec<&str> = site.stack.iter().map(PlatformKey::as_str).collect();
        assert_eq!(stack, [&["vue"][..], &keys].concat());
        assert_eq!(site.shown_platform().map(PlatformKey::as_str), Some("vue"), "as it was given");
        assert_eq!(
            site.tip_platform().map(PlatformKey::as_str),
            Some("woocommerce"),
            "tips follow the first shop platform"
        );

        let site = details(json!({"url": "a.example", "report_locale": "en", "stack": keys}));
        assert_eq!(site.shown_platform().map(PlatformKey::as_str), Some("woocommerce"), "where none was given");
    }

    #[test]
    fn a_standard_is_one_of_those_that_exist_and_none_is_the_operators() {
        let with = |word: Value| site_input(&json!({"url": "a.example", "report_locale": "en", "standard": word}));
        let standard = |word: Value| with(word).unwrap().into_details().unwrap().standard;
        assert_eq!(standard(json!(" wcag22-aa ")), Some(StandardId::Wcag22Aa));
        assert_eq!(standard(json!("en301549-v4")), Some(StandardId::En301549V4));
        assert_eq!((standard(json!(null)), standard(json!(" "))), (None, None));
        assert_eq!(with(json!("wcag30")), Err(FieldErrors::one("standard", Problem::NotInList)));
        assert_eq!(with(json!(22)), Err(FieldErrors::one("standard", Problem::NotString)));
    }

    #[test]
    fn unknown_fields_change_nothing() {
        let site = details(json!({"url": "a.example", "report_locale": "en", "id": "site_x", "status": "paused"}));
        assert_eq!(site.url.domain(), "a.example");
    }
}
