//! The OpenAPI document as a judge: every response that a test gets is compared with it.

use std::{
    collections::HashMap,
    sync::{Arc, LazyLock, Mutex, PoisonError},
};

use a11ycheck_api_v1::openapi;
use jsonschema::{Draft, Validator};
use reqwest::{Method, header::HeaderMap};
use serde_json::{Map, Value, json};

use crate::{Answer, Received};

/// The strict rendering of the document, with objects that have no fields but those that are listed, and with `HEAD`
/// beside `GET`: it admits nothing that this release never responds with.
pub struct OpenApi {
    document: Value,
    validators: Mutex<HashMap<String, Arc<Validator>>>,
}

/// A method of a path, as the document lists it.
#[derive(Debug, Clone)]
pub struct Operation {
    /// The path with its parameters in braces.
    pub path: String,
    /// The method.
    pub method: Method,
    /// The statuses that it responds with, each with its media types; an empty one if there is no body.
    pub answers: Vec<(u16, String)>,
    /// The values of its parameter `format`.
    pub formats: Vec<String>,
    /// True if it takes a body.
    pub has_body: bool,
}

/// The methods in the order in which the document and `Allow` list them.
const METHODS: [Method; 4] = [Method::GET, Method::HEAD, Method::POST, Method::DELETE];

/// Headers of HTTP itself or of operating a server, which a description of an API leaves out.
const PLAIN_HEADERS: [&str; 8] = [
    "cache-control",
    "connection",
    "content-length",
    "content-type",
    "date",
    "transfer-encoding",
    "x-content-type-options",
    "x-request-id",
];

impl OpenApi {
    /// Returns the one document, read once.
    pub fn document() -> &'static Self {
        static DOCUMENT: LazyLock<OpenApi> =
            LazyLock::new(|| OpenApi { document: closed(openapi::strict()), validators: Mutex::default() });
        &DOCUMENT
    }

    /// Returns the JSON of the document.
    pub const fn json(&self) -> &Value {
        &self.document
    }

    /// Returns all operations of the document, in its order.
    pub fn operations(&self) -> Vec<Operation> {
        let items = self.document["paths"].as_object().unwrap();
        let of_path = |(path, item): (&String, &Value)| {
            let operations = METHODS.into_iter().filter_map(|method| {
                let operation = listed(item, &method)?;
                Some(Operation {
                    path: path.clone(),
                    method,
                    answers: self.answers(operation),
                    formats: self.formats(operation),
                    has_body: operation.get("requestBody").is_some(),
                })
            });
            operations.collect::<Vec<_>>()
        };
        items.iter().flat_map(of_path).collect()
    }

    /// Returns the value of `Allow` for a path.
    pub fn allow(&self, path: &str) -> String {
        let operations = self.operations();
        let methods = operations.iter().filter(|operation| operation.path == path);
        methods.map(|operation| operation.method.as_str()).collect::<Vec<_>>().join(", ")
    }

    /// Compares a response to a request with the document: status, headers, media type and body. `path` is below the
    /// base address, with its query.
    ///
    /// # Errors
    /// The difference, in words.
    pub fn judge(&self, method: &Method, path: &str, answer: &Answer) -> Result<(), String> {
        let (response, template) = self.response(method, path, answer.status)?;
        self.judge_headers(response, &answer.headers)?;
        if answer.status == 405 && template.is_none_or(|template| answer.header("allow") != self.allow(template)) {
            return Err(format!("Allow is `{}`", answer.header("allow")));
        }
        // HEAD responds as GET does, without the body; if the request is not listed, its response is described as
        // GET's.
        let content = response["content"].as_object().filter(|_| method != Method::HEAD);
        self.judge_body(content, answer)
    }

    /// Compares a webhook's request with the document: event, headers and body.
    ///
    /// # Errors
    /// The difference, in words.
    pub fn judge_delivery(&self, request: &Received) -> Result<(), String> {
        let event = request.header("Svc-Event");
        let described = &self.document["webhooks"][event]["post"];
        for parameter in described["parameters"].as_array().ok_or(format!("there is no event `{event}`"))? {
            let parameter = self.resolved(parameter);
            let name = parameter["name"].as_str().unwrap_or_default();
            if let [problem, ..] = self.problems(&parameter["schema"], &json!(request.header(name))).as_slice() {
                return Err(format!("the header {name}: {problem}"));
            }
        }
        let body = serde_json::from_slice(&request.body).map_err(|error| error.to_string())?;
        match self.problems(&described["requestBody"]["content"]["application/json"]["schema"], &body).as_slice() {
            [] => one_form_of_timestamps(&body),
            problems => Err(format!("the body differs: {}", problems.join("; "))),
        }
    }

    /// Returns the problems of a value with a schema of the document.
    pub fn problems(&self, schema: &Value, value: &Value) -> Vec<String> {
        let validator = self.validator(schema);
        validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect()
    }

    /// Returns the target of a `$ref`, or the value itself.
    pub fn resolved<'a>(&'a self, value: &'a Value) -> &'a Value {
        match value["$ref"].as_str() {
            Some(pointer) => self.document.pointer(pointer.trim_start_matches('#')).unwrap(),
            None => value,
        }
    }

    fn answers(&self, operation: &Value) -> Vec<(u16, String)> {
        let responses = operation["responses"].as_object().unwrap().iter();
        let of_status = |(code, response): (&String, &Value)| {
            let content = self.resolved(response)["content"].as_object();
            let media_types = content.map_or(vec![String::new()], |content| content.keys().cloned().collect());
            let code: u16 = code.parse().unwrap();
            media_types.into_iter().map(move |media_type| (code, media_type))
        };
        responses.flat_map(of_status).collect()
    }

    fn formats(&self, operation: &Value) -> Vec<String> {
        let parameters = operation["parameters"].as_array().into_iter().flatten().map(|one| self.resolved(one));
        let format = parameters.filter(|parameter| parameter["name"] == "format");
        let words = format.flat_map(|parameter| parameter["schema"]["enum"].as_array().unwrap());
        words.map(|word| word.as_str().unwrap().to_owned()).collect()
    }

    /// Returns the listed path of an address. As in warp, a slash at the end is ignored.
    fn template(&self, path: &str) -> Option<&str> {
        let path = path.split('?').next().unwrap_or_default();
        let segments = |path: &str| path.trim_start_matches('/').split('/').map(str::to_owned).collect::<Vec<_>>();
        let given = segments(path.strip_suffix('/').unwrap_or(path));
        let leads_to = |template: &&String| {
            let wanted = segments(template);
            let fits = |(wanted, given): (&String, &String)| match wanted.starts_with('{') {
                true => !given.is_empty(),
                false => wanted == given,
            };
            wanted.len() == given.len() && wanted.iter().zip(&given).all(fits)
        };
        self.document["paths"].as_object()?.keys().find(leads_to).map(String::as_str)
    }

    fn response(&self, method: &Method, path: &str, status: u16) -> Result<(&Value, Option<&str>), String> {
        let template = self.template(path);
        let item = template.map(|template| &self.document["paths"][template]);
        if let Some(operation) = item.and_then(|item| listed(item, method)) {
            let response = operation["responses"].get(status.to_string());
            return match response {
                Some(response) => Ok((self.resolved(response), template)),
                None => Err(format!("the status {status} is not listed")),
            };
        }
        let name = match (item.is_some(), status) {
            (true, 405) => "MethodNotAllowed",
            (false, 404) => "NotFound",
            (_, 429) => "TooManyRequests",
            (_, 500) => "ServerError",
            (_, 503) => "Unavailable",
            (true, _) => return Err(format!("the method is not listed, and the status is {status}")),
            (false, _) => return Err(format!("the path is not listed, and the status is {status}")),
        };
        Ok((&self.document["components"]["responses"][name], template))
    }

    fn judge_headers(&self, response: &Value, headers: &HeaderMap) -> Result<(), String> {
        let none = Map::new();
        let listed = response["headers"].as_object().unwrap_or(&none);
        for (name, header) in listed {
            let header = self.resolved(header);
            let Some(value) = headers.get(name) else {
                if header["required"] == true {
                    return Err(format!("the header {name} is missing"));
                }
                continue;
            };
            let text = value.to_str().map_err(|_| format!("the header {name} is no text"))?;
            let is_number = self.resolved(&header["schema"])["type"] == "integer";
            let value = if is_number { text.parse().unwrap_or(json!(text)) } else { json!(text) };
            if let [problem, ..] = self.problems(&header["schema"], &value).as_slice() {
                return Err(format!("the header {name}: {problem}"));
            }
        }
        let is_known =
            |name: &str| PLAIN_HEADERS.contains(&name) || listed.keys().any(|l| l.eq_ignore_ascii_case(name));
        match headers.keys().find(|name| !is_known(name.as_str())) {
            Some(name) => Err(format!("the header {name} is not listed")),
            None => Ok(()),
        }
    }

    fn judge_body(&self, content: Option<&Map<String, Value>>, answer: &Answer) -> Result<(), String> {
        let Some(content) = content else {
            return if answer.bytes.is_empty() {
                Ok(())
            } else {
                Err("there is a body, and none is listed".to_owned())
            };
        };
        let media_type = answer.media_type();
        let Some(described) = content.get(media_type) else {
            return Err(format!("the media type `{media_type}` is not listed"));
        };
        let Some(schema) = described.get("schema") else { return Ok(()) };
        if schema["format"] == "binary" {
            return Ok(());
        }
        let text;
        let body = if media_type == "application/json" {
            &answer.body
        } else {
            text = json!(std::str::from_utf8(&answer.bytes).map_err(|error| error.to_string())?);
            &text
        };
        match self.problems(schema, body).as_slice() {
            [] => one_form_of_timestamps(body),
            problems => Err(format!("the body differs: {}", problems.join("; "))),
        }
    }

    fn validator(&self, schema: &Value) -> Arc<Validator> {
        let mut validators = self.validators.lock().unwrap_or_else(PoisonError::into_inner);
        let validator = validators.entry(schema.to_string()).or_insert_with(|| {
            let whole = json!({"allOf": [schema], "components": self.document["components"]});
            let options = jsonschema::options().with_draft(Draft::Draft202012).should_validate_formats(true);
            Arc::new(options.build(&whole).unwrap())
        });
        Arc::clone(validator)
    }
}

/// Refuses fields that are not listed, and describes `HEAD` of each path by its `GET`: the same answers without their bodies.
fn closed(mut document: Value) -> Value {
    // The one body of a request: its unknown fields are ignored.
    let schemas = document["components"]["schemas"].as_object_mut().unwrap().iter_mut();
    schemas.filter(|(name, _)| *name != "NewSite").for_each(|(_, schema)| close(schema));
    let responses = document["components"]["responses"].clone();
    for (_, path) in document["paths"].as_object_mut().unwrap() {
        // A method that is listed is never answered so.
        for (_, operation) in path.as_object_mut().unwrap() {
            operation["responses"].as_object_mut().unwrap().remove("405");
        }
        let mut head = path["get"].clone();
        head["operationId"] = format!("{}Head", head["operationId"].as_str().unwrap()).into();
        for (_, answer) in head["responses"].as_object_mut().unwrap() {
            if let Some(name) = answer["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
                *answer = responses[name].clone();
            }
            answer.as_object_mut().unwrap().retain(|part, _| !["content", "links"].contains(&part.as_str()));
        }
        path["head"] = head;
    }
    document
}

fn close(schema: &mut Value) {
    if schema["properties"].is_object() {
        schema["additionalProperties"] = false.into();
    }
    match schema {
        Value::Array(items) => items.iter_mut().for_each(close),
        Value::Object(fields) => fields.values_mut().for_each(close),
        _ => {}
    }
}

/// Checks that every timestamp of a body has six digits after the point and a `Z`, which `format: date-time` alone does
/// not demand.
fn one_form_of_timestamps(body: &Value) -> Result<(), String> {
    match body {
        Value::String(text) if chrono::DateTime::parse_from_rfc3339(text).is_ok() => {
            let form = "0000-00-00T00:00:00.000000Z";
            let digits = text.chars().map(|character| if character.is_ascii_digit() { '0' } else { character });
            if digits.eq(form.chars()) { Ok(()) } else { Err(format!("the timestamp {text} has another form")) }
        }
        Value::Array(items) => items.iter().try_for_each(one_form_of_timestamps),
        Value::Object(fields) => fields.values().try_for_each(one_form_of_timestamps),
        _ => Ok(()),
    }
}

/// Returns a method of a path. Methods are case-sensitive, and the document writes all of them in lower case.
fn listed<'a>(item: &'a Value, method: &Method) -> Option<&'a Value> {
    METHODS.contains(method).then(|| item.get(method.as_str().to_lowercase()))?
}

impl std::fmt::Debug for OpenApi {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpenApi").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, headers: &[(&'static str, &str)], body: &Value) -> Answer {
        let rate = [("x-ratelimit-limit", "60"), ("x-ratelimit-remaining", "59"), ("content-type", "application/json")];
        let headers = rate.iter().chain(headers).map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
        let bytes = if body.is_null() { vec![] } else { body.to_string().into_bytes() };
        Answer { status, headers: headers.collect(), body: body.clone(), bytes }
    }

    fn judged(method: Method, path: &str, answer: &Answer) -> String {
        OpenApi::document().judge(&method, path, answer).err().unwrap_or_default()
    }

    fn scan() -> Value {
        let path = "/paths/~1scans~1{scan}/get/responses/200/content/application~1json/examples/completed/value";
        OpenApi::document().json().pointer(path).unwrap().clone()
    }

    #[test]
    fn an_answer_as_described_passes() {
        assert_eq!(judged(Method::GET, "/scans/scan_x?lang=de", &answer(200, &[], &scan())), "");
        assert_eq!(judged(Method::GET, "/scans/scan_x", &answer(404, &[], &json!({"message": "Not found."}))), "");
        assert_eq!(judged(Method::HEAD, "/scans/scan_x", &answer(200, &[], &Value::Null)), "");
    }

    #[test]
    fn a_field_too_many_too_few_or_of_another_kind_is_found() {
        let with = |change: fn(&mut Value)| {
            let mut body = scan();
            change(&mut body["data"]);
            judged(Method::GET, "/scans/scan_x", &answer(200, &[], &body))
        };
        assert!(with(|scan| scan["secret"] = json!(1)).contains("secret"));
        assert!(with(|scan| drop(scan.as_object_mut().unwrap().remove("kind"))).contains("kind"));
        assert!(with(|scan| scan["links"]["extra"] = json!(null)).contains("extra"));
        assert!(with(|scan| scan["pages_scanned"] = json!("2")).contains("pages_scanned"));
        assert!(with(|scan| scan["status"] = json!("paused")).contains("status"));
        assert!(with(|scan| scan["queued_at"] = json!("yesterday")).contains("queued_at"));
        for odd in ["2027-06-01T12:00:00Z", "2027-06-01T12:00:00.072Z", "2027-06-01T12:00:00.000000+00:00"] {
            let body = json!({"queued_at": odd});
            assert!(one_form_of_timestamps(&body).is_err(), "{odd}");
        }
        assert!(with(|scan| scan["queued_at"] = json!("2027-06-01T12:00:00Z")).contains("another form"));
        assert!(with(|scan| scan["id"] = json!("site_01K1MBZ7Q3R9V4X8T2N6W5Y0AB")).contains("id"));
    }

    #[test]
    fn a_status_a_header_or_a_media_type_that_is_not_listed_is_found() {
        let body = json!({"message": "Something."});
        assert!(judged(Method::GET, "/scans/scan_x", &answer(418, &[], &body)).contains("418"));
        assert!(judged(Method::GET, "/scans/scan_x", &answer(404, &[("x-debug", "1")], &body)).contains("x-debug"));
        let mut plain = answer(404, &[], &body);
        plain.headers.insert("content-type", "text/plain".parse().unwrap());
        assert!(judged(Method::GET, "/scans/scan_x", &plain).contains("text/plain"));
        plain.headers.remove("x-ratelimit-limit");
        assert!(judged(Method::GET, "/scans/scan_x", &plain).contains("X-RateLimit-Limit is missing"));
        assert!(judged(Method::GET, "/scans/scan_x", &answer(429, &[], &body)).contains("missing"));
        assert!(judged(Method::HEAD, "/account", &answer(200, &[], &body)).contains("there is a body"));
    }

    #[test]
    fn unknown_paths_and_methods_have_one_answer_each() {
        let body = json!({"message": "Something."});
        for path in ["/", "/nothing", "/sites/a/b", "/scans//report", "/sites/a/"] {
            let is_listed = path == "/sites/a/";
            assert_eq!(judged(Method::PUT, path, &answer(404, &[], &body)).is_empty(), !is_listed, "{path}");
            assert!(!judged(Method::PUT, path, &answer(200, &[], &body)).is_empty(), "{path}");
        }
        let refused = |allow| judged(Method::PUT, "/sites/a", &answer(405, &[("allow", allow)], &body));
        assert_eq!(refused("GET, HEAD, DELETE"), "");
        assert!(refused("GET").contains("Allow"));
    }
}
