//! Parts that several operations have: each is a field of a type that describes parameters or headers.

use schemars::{
    JsonSchema, SchemaGenerator,
    transform::{RecursiveTransform, Transform as _},
};
use serde_json::{Map, Value, json};

use super::rendering::plain;
use crate::{
    error_body::{FieldsBody, PlainBody},
    refusals::Refusal,
};

/// Returns a reference to a shared part.
pub(super) fn shared(kind: &str, name: &str) -> Value {
    json!({"$ref": format!("#/components/{kind}/{name}")})
}

/// Describes an answer with the headers that every answer has, and these.
pub(super) fn answer(text: &str, headers: &[&str], content: Value) -> Value {
    let always = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-Request-Id"];
    let named = |name: &&str| ((*name).to_owned(), shared("headers", name));
    let headers: Map<_, _> = always.iter().chain(headers).map(named).collect();
    let mut answer = json!({"description": text, "headers": headers});
    if !content.is_null() {
        answer["content"] = content;
    }
    answer
}

/// Returns the answers of all refusals by their names; `headers` are those of all answers.
pub(super) fn responses(generator: &mut SchemaGenerator, headers: &Map<String, Value>) -> Map<String, Value> {
    let (plain, fields) = (generator.subschema_for::<PlainBody>(), generator.subschema_for::<FieldsBody>());
    let response = |refusal: &Refusal| {
        let (schema, own): (_, &[_]) = match refusal.status() {
            401 => (&plain, &["WWW-Authenticate"]),
            405 => (&plain, &["Allow"]),
            422 => (&fields, &[]),
            429 => (&plain, &["Retry-After", "X-RateLimit-Reset"]),
            503 => (&plain, &["Retry-After"]),
            _ => (&plain, &[]),
        };
        let mut content = json!({"schema": schema});
        for (name, body) in refusal.examples() {
            content["examples"][name] = json!({"value": body});
        }
        let mut response = answer(refusal.text(), own, json!({"application/json": content}));
        if refusal.status() >= 500 {
            for counter in ["X-RateLimit-Limit", "X-RateLimit-Remaining"] {
                let text = "As on every answer; missing only where the counter itself could not be asked.";
                response["headers"][counter] = headers[counter].clone();
                response["headers"][counter]["description"] = text.into();
                response["headers"][counter]["required"] = false.into();
            }
        }
        (refusal.name().to_owned(), response)
    };
    Refusal::ALL.iter().map(response).collect()
}

/// Returns the parameters that are the fields of a type, by name.
pub(super) fn parameters<T: JsonSchema>(place: &str, generator: &mut SchemaGenerator) -> Map<String, Value> {
    let mut parameters = fields::<T>(generator);
    for (name, parameter) in &mut parameters {
        parameter["name"] = name.as_str().into();
        parameter["in"] = place.into();
        // Everything that a query may say has a default.
        parameter["required"] = (place != "query").into();
    }
    parameters
}

/// Returns name, heading and text of each variant of an enum: those are its comments.
pub(super) fn words<T: JsonSchema>() -> Vec<Value> {
    schema::<T>(&mut SchemaGenerator::default())["oneOf"].as_array().cloned().unwrap_or_default()
}

/// Returns the fields of a type, each with its comment, its example and its schema.
pub(super) fn fields<T: JsonSchema>(generator: &mut SchemaGenerator) -> Map<String, Value> {
    let object = schema::<T>(generator);
    let required = object["required"].as_array().cloned().unwrap_or_default();
    let field = |(name, schema): (&String, &Value)| {
        let mut schema = schema.clone();
        let mut taken = |part| schema.as_object_mut().and_then(|schema| schema.remove(part)).unwrap_or_default();
        let mut field = json!({"required": required.contains(&json!(name)), "description": taken("description")});
        if let Value::Array(examples) = taken("examples") {
            field["example"] = examples.into_iter().next().into();
        }
        field["schema"] = schema;
        (name.clone(), field)
    };
    object["properties"].as_object().into_iter().flatten().map(field).collect()
}

fn schema<T: JsonSchema>(generator: &mut SchemaGenerator) -> Value {
    let mut schema = T::json_schema(generator);
    RecursiveTransform(plain).transform(&mut schema);
    schema.into()
}
