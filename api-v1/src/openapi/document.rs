//! The document as it is for tests.

use a11ycheck_core::domain::EventKind;
use schemars::{SchemaGenerator, generate::SchemaSettings, schema_for, transform::RecursiveTransform};
use serde_json::{Map, Value, json};

use super::{
    operations::{Description, describe},
    parts::{fields, parameters, responses, shared, words},
    rendering::plain,
};
use crate::{
    events::{Event, EventHeaders, PingData, ScanData, Webhook},
    headers::Headers,
    refusals::Refusal,
    routes::{Access, Group, Operation, PathParameters, ROUTES, Route},
    samples::{self, Samples},
};

/// Returns the description that tests compare answers with: texts have no words but those that are listed, and ids have their form.
/// Its headers begin with `Svc-`.
pub fn strict() -> Value {
    let mut settings = SchemaSettings::draft2020_12().for_serialize().with_transform(RecursiveTransform(plain));
    settings.definitions_path = "/components/schemas".into();
    let (generator, samples) = (&mut settings.into_generator(), &Samples::new());
    let mut paths = json!({});
    for route in ROUTES {
        paths[route.path][route.method.as_str().to_lowercase()] = operation(route, generator, samples);
    }
    let webhooks: Map<_, _> = EventKind::KNOWN.iter().map(|kind| webhook(*kind, generator, samples)).collect();
    let headers = fields::<Headers>(generator);
    let responses = responses(generator, &headers);
    let mut shared_parameters = parameters::<PathParameters>("path", generator);
    shared_parameters.extend(parameters::<EventHeaders>("header", generator));
    let introduction =
        Value::from(schema_for!(Operation))["description"].as_str().unwrap_or_default().replace("\n  ", " ");
    let tag = |words: &Value| json!({"name": words["const"], "description": words["description"]});
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Accessibility check service",
            "summary": "Automated accessibility checks of web sites",
            "version": "1.1",
            "license": {"name": "Apache-2.0 OR MIT", "identifier": "Apache-2.0 OR MIT"},
            "contact": {"name": "The operator of this service"},
            "description": introduction,
        },
        "servers": [{"url": samples::BASE, "description": "The address of the service."}],
        "security": [{"token": []}],
        "tags": words::<Group>().iter().map(tag).collect::<Vec<_>>(),
        "paths": paths,
        "webhooks": webhooks,
        "components": {
            "securitySchemes": {"token": {
                "type": "http",
                "scheme": "bearer",
                "description": "An API token of the team, made in the account and shown once. Abilities: `read` for GET and HEAD, \
                    `write` for POST and DELETE; neither includes the other.",
            }},
            "parameters": shared_parameters,
            "headers": headers,
            "responses": responses,
            "schemas": generator.take_definitions(true),
        },
    })
}

fn operation(route: &Route, generator: &mut SchemaGenerator, samples: &Samples) -> Value {
    let words = words::<Operation>()[route.operation as usize].take();
    let Description(mut operation) = describe(route.operation, generator, samples);
    let in_path = route.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let mut parameters: Vec<Value> = in_path.map(|name| shared("parameters", name)).collect();
    let mut refusals =
        vec![Refusal::MethodNotAllowed, Refusal::TooManyRequests, Refusal::ServerError, Refusal::Unavailable];
    if !parameters.is_empty() {
        refusals.push(Refusal::NotFound);
    }
    let needs = match route.access {
        Access::Anyone => {
            operation["security"] = json!([]);
            "Needs no token.".to_owned()
        }
        Access::Token(_, ability) => {
            refusals.extend([Refusal::Unauthenticated, Refusal::Forbidden]);
            format!("Needs the ability `{}`.", ability.as_str())
        }
    };
    operation["operationId"] = words["const"].clone();
    operation["summary"] = words["title"].clone();
    operation["description"] = format!("{} {needs}", words["description"].as_str().unwrap_or_default()).into();
    parameters.extend(operation["parameters"].as_array().into_iter().flatten().cloned());
    if !parameters.is_empty() {
        operation["parameters"] = parameters.into();
    }
    for refusal in refusals {
        let own = &mut operation["responses"][refusal.status().to_string()];
        if own.is_null() {
            *own = shared("responses", refusal.name());
        }
    }
    operation
}

fn webhook(kind: EventKind, generator: &mut SchemaGenerator, samples: &Samples) -> (String, Value) {
    let words = words::<Webhook>().into_iter().find(|words| words["const"] == kind.as_str()).unwrap_or_default();
    let schema = match kind {
        EventKind::Ping => generator.subschema_for::<Event<PingData>>(),
        _ => generator.subschema_for::<Event<ScanData<'static>>>(),
    };
    let received = "The event was received, if this was answered within 10 seconds. Other answers, redirects included, are \
        retried after 1 minute, 5 minutes, 30 minutes, 2 hours and 6 hours.";
    let parameters = ["Svc-Event", "Svc-Delivery", "Svc-Signature"].map(|name| shared("parameters", name));
    let content = json!({"schema": schema, "examples": {"event": {"value": samples.event(kind)}}});
    let post = json!({
        "operationId": words["operationId"],
        "tags": [Group::Events],
        "summary": words["title"],
        "description": words["description"],
        "security": [],
        "parameters": parameters,
        "requestBody": {"required": true, "content": {"application/json": content}},
        "responses": {"2XX": {"description": received}},
    });
    (kind.as_str().to_owned(), json!({"post": post}))
}
