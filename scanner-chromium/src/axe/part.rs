//! The findings of axe-core in one frame, on their way from the frame's world to that of the page.
//!
//! They are made by our own script, in a world that no script of the frame reaches. Still, they come from an untrusted
//! document: only what has the expected shape goes on.

use std::collections::HashSet;

use a11ycheck_core::domain::reveals_people;
use serde::{Deserialize, Serialize, de::IgnoredAny};
use serde_json::Value;

/// The number of elements that may leave one frame: those that fail or need review, and those that axe-core compares
/// across frames.
const MAX_NODES: usize = 10_000;
/// The number of characters of JSON that may leave one frame.
const MAX_CHARACTERS: usize = 4_000_000;
/// The number of bytes of JSON for all frames of a page together.
pub(super) const MAX_PAGE_BYTES: usize = 16_000_000;
/// The greatest length of a name in the data of a check of axe-core, which searches for it by regular expression.
const MAX_NAME: usize = 64;

/// Returns the bounds that the script in a frame keeps to.
pub(super) fn limits() -> Value {
    serde_json::json!({ "nodes": MAX_NODES, "characters": MAX_CHARACTERS })
}

/// The facts about a frame that axe-core in the document around it passes to axe-core in the frame.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Context {
    focusable: bool,
    page: bool,
    size: Size,
}

#[derive(Debug, Clone, Copy, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Size {
    width: f64,
    height: f64,
}

impl Context {
    /// Returns it in the form that axe-core takes.
    pub(super) fn to_json(&self) -> Value {
        serde_json::json!({
            "include": [],
            "exclude": [],
            "initiator": false,
            "focusable": self.focusable,
            "page": self.page,
            "size": self.size,
        })
    }
}

/// The reason why the result of a frame is not used.
#[derive(Debug, thiserror::Error)]
pub(super) enum PartError {
    /// It has more elements or characters than are accepted from one frame.
    #[error("the result of a frame is too large")]
    TooLarge,
    /// It is not the JSON that the script in the frame makes.
    #[error("the result of a frame has another shape than expected")]
    Shape(#[from] serde_json::Error),
    /// It is such JSON, but with impossible values.
    #[error("the result of a frame is not possible: {0}")]
    Impossible(&'static str),
}

/// The validated result of one frame.
#[derive(Debug)]
pub(super) struct Answer {
    /// The facts about the frame's own frames.
    pub(super) contexts: Vec<Context>,
    /// The part of the result that `join.js` joins.
    pub(super) json: String,
}

impl Answer {
    /// Reads the result of `part.js` in a frame. `rules` are the rules that axe-core has.
    pub(super) fn parse(text: &str, rules: &HashSet<String>) -> Result<Self, PartError> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Returned {
            TooLarge {
                #[serde(rename = "tooLarge")]
                _too_large: IgnoredAny,
            },
            Part(InFrame),
        }
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct InFrame {
            contexts: Vec<Context>,
            part: Part,
        }
        if text.len() > 4 * MAX_CHARACTERS {
            return Err(PartError::TooLarge);
        }
        let Returned::Part(InFrame { contexts, mut part }) = serde_json::from_str(text)? else {
            return Err(PartError::TooLarge);
        };
        part.validate(contexts.len(), rules)?;
        part.specs_mut().for_each(Spec::reveal_nobody);
        Ok(Self { contexts, json: serde_json::to_string(&part)? })
    }
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Part {
    results: Vec<RuleResult>,
    frames: Vec<Spec>,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct RuleResult {
    id: String,
    result: String,
    page_level: bool,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_error")]
    error: Option<String>,
    nodes: Vec<Node>,
}

/// Writes an error in the shape that axe-core gives its own.
fn as_error<S: serde::Serializer>(message: &Option<String>, serializer: S) -> Result<S::Ok, S::Error> {
    serde_json::json!({ "message": message }).serialize(serializer)
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Node {
    any: Vec<Check>,
    all: Vec<Check>,
    none: Vec<Check>,
    node: Spec,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Check {
    id: String,
    data: Value,
    /// The outcome of the check; `None` if axe-core can't tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    result: Option<bool>,
    /// Always empty: without the elements it is of no use, and `part.js` leaves them behind.
    #[serde(skip_deserializing)]
    related_nodes: [(); 0],
}

/// An element, as axe-core identifies it.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Spec {
    selector: Vec<Step>,
    /// Other selectors for it, each a path through shadow trees, if the selector may reveal something about people.
    #[serde(skip_serializing)]
    instead: Vec<Vec<String>>,
    source: Option<String>,
    node_indexes: Vec<u32>,
    ancestry: Vec<Step>,
    #[serde(skip_deserializing)]
    xpath: [(); 0],
}

impl Spec {
    /// Replaces a selector that reveals something about people by another that does not, if there is one.
    fn reveal_nobody(&mut self) {
        if self.instead.is_empty() || !self.selector.iter().any(Step::reveals_people) {
            return;
        }
        let ways = std::mem::take(&mut self.instead).into_iter().map(Step::ThroughShadow);
        if let Some(way) = ways.into_iter().find(|way| !way.reveals_people()) {
            self.selector = vec![way];
        }
    }
}

/// The way to an element within one document: a selector, or several through shadow trees.
#[derive(Debug, Deserialize, Serialize)]
#[serde(untagged)]
enum Step {
    Selector(String),
    ThroughShadow(Vec<String>),
}

impl Step {
    fn reveals_people(&self) -> bool {
        match self {
            Self::Selector(selector) => reveals_people(selector),
            Self::ThroughShadow(selectors) => selectors.iter().any(|selector| reveals_people(selector)),
        }
    }
}

impl Part {
    fn specs_mut(&mut self) -> impl Iterator<Item = &mut Spec> {
        self.results.iter_mut().flat_map(|result| &mut result.nodes).map(|node| &mut node.node).chain(&mut self.frames)
    }

    fn validate(&self, contexts: usize, rules: &HashSet<String>) -> Result<(), PartError> {
        if self.frames.len() != contexts {
            return Err(PartError::Impossible("it knows another number of frames than were asked for"));
        }
        if self.results.iter().map(|result| result.nodes.len()).sum::<usize>() > MAX_NODES {
            return Err(PartError::TooLarge);
        }
        let mut seen = HashSet::new();
        for result in &self.results {
            if !rules.contains(&result.id) {
                return Err(PartError::Impossible("axe-core has no such rule"));
            }
            if !seen.insert(&result.id) {
                return Err(PartError::Impossible("a rule has two results"));
            }
        }
        let nodes = || self.results.iter().flat_map(|result| &result.nodes);
        // Everything in a frame is found from its own document; axe-core puts the way to the frame in front.
        let is_own = |spec: &Spec| spec.selector.len() == 1 && spec.node_indexes.len() <= 1 && spec.ancestry.len() <= 1;
        if !nodes().map(|node| &node.node).chain(&self.frames).all(is_own) {
            return Err(PartError::Impossible("an element is not of the frame's document"));
        }
        let checks = nodes().flat_map(|node| [&node.any, &node.all, &node.none]).flatten();
        let is_name = |name: &String| {
            name.len() <= MAX_NAME && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
        };
        if !checks.filter_map(|check| check.data.as_object()).all(|data| data.keys().all(is_name)) {
            return Err(PartError::Impossible("a check tells what no check tells"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rules() -> HashSet<String> {
        ["image-alt", "region"].map(str::to_owned).into()
    }

    fn parse(value: &Value) -> Result<Answer, PartError> {
        Answer::parse(&value.to_string(), &rules())
    }

    fn good() -> Value {
        json!({
            "contexts": [{ "focusable": true, "page": true, "size": { "width": 300, "height": 150.5 } }],
            "part": {
                "results": [{
                    "id": "image-alt",
                    "result": "inapplicable",
                    "pageLevel": false,
                    "nodes": [{
                        "any": [{ "id": "has-alt", "data": { "messageKey": "none" }, "result": false }, { "id": "x", "data": null }],
                        "all": [],
                        "none": [],
                        "node": { "selector": [["#host", "img"]], "instead": [], "source": "<img>", "nodeIndexes": [7], "ancestry": [] },
                    }],
                }],
                "frames": [{
                    "selector": ["iframe"], "instead": [], "source": null, "nodeIndexes": [9],
                    "ancestry": ["html > body > iframe"],
                }],
            },
        })
    }

    #[test]
    fn what_a_frame_returns_becomes_what_axe_core_joins() {
        let answer = parse(&good()).unwrap();
        let part: Value = serde_json::from_str(&answer.json).unwrap();
        let node = &part["results"][0]["nodes"][0];
        assert_eq!(node["any"][1], json!({ "id": "x", "data": null, "relatedNodes": [] }), "no result: it can't tell");
        assert_eq!(node["node"]["selector"], json!([["#host", "img"]]));
        assert_eq!(node["node"]["xpath"], json!([]));
        assert_eq!(part["results"][0].get("error"), None);
        let context = answer.contexts[0].to_json();
        assert_eq!((&context["initiator"], &context["size"]["height"]), (&json!(false), &json!(150.5)));

        let mut failed = good();
        failed["part"]["results"][0]["error"] = json!("boom");
        let part: Value = serde_json::from_str(&parse(&failed).unwrap().json).unwrap();
        assert_eq!(part["results"][0]["error"], json!({ "message": "boom" }));
    }

    #[test]
    fn a_selector_that_reveals_people_stays_in_the_frame() {
        let selector_of = |selector: Value, instead: Value| {
            let mut returned = good();
            let node = &mut returned["part"]["results"][0]["nodes"][0]["node"];
            (node["selector"], node["instead"]) = (json!([selector]), instead);
            let part: Value = serde_json::from_str(&parse(&returned).unwrap().json).unwrap();
            part["results"][0]["nodes"][0]["node"].clone()
        };
        let (jane, field) = (json!("input[value=\"Jane\"]"), json!([["#jane\\@example\\.org > b"], [":root > b"]]));
        let node = selector_of(jane, field.clone());
        assert_eq!((&node["selector"], node.get("instead")), (&json!([[":root > b"]]), None));
        let harmless = json!("a[href=\"/x\"]");
        assert_eq!(selector_of(harmless.clone(), field)["selector"], json!([harmless]));
        let through = json!(["#host", "input[value=\"Jane\"]"]);
        let way = json!([":root > b", "input:nth-child(1):not(* > *)"]);
        assert_eq!(selector_of(through, json!([way]))["selector"], json!([way]));
    }

    #[test]
    fn what_has_another_shape_is_refused() {
        let changes: [(&str, Value); 15] = [
            ("/part", json!("a string")),
            ("/part/results", json!({})),
            ("/part/results/0/id", json!("no-such-rule")),
            ("/part/results/0/nodes/0/node/selector", json!(["#frame", "img"])),
            ("/part/results/0/nodes/0/node/selector", json!([])),
            ("/part/results/0/nodes/0/node/selector", json!([["a", ["b"]]])),
            ("/part/results/0/nodes/0/node/instead", json!(["a"])),
            ("/part/results/0/nodes/0/node/source", json!({ "toString": 1 })),
            ("/part/results/0/nodes/0/node/nodeIndexes", json!([1, 2])),
            ("/part/results/0/nodes/0/any/0/result", json!("true")),
            ("/part/results/0/nodes/0/any/0/data", json!({ "(a+)+$": 1 })),
            ("/part/results/0/nodes/0/any/0", json!({ "id": "has-alt", "data": null, "message": "forged" })),
            ("/part/frames", json!([])),
            ("/contexts/0/size/width", json!(null)),
            (
                "/contexts",
                json!([{ "focusable": true, "page": true, "size": { "width": 1, "height": 1 }, "include": [] }]),
            ),
        ];
        for (place, value) in changes {
            let mut returned = good();
            *returned.pointer_mut(place).unwrap() = value;
            let refused = parse(&returned);
            assert!(matches!(refused, Err(PartError::Shape(_) | PartError::Impossible(_))), "{place}: {refused:?}");
        }
        let mut twice = good();
        let result = twice["part"]["results"][0].clone();
        twice["part"]["results"].as_array_mut().unwrap().push(result);
        assert!(matches!(parse(&twice), Err(PartError::Impossible(_))));
        for text in ["", "null", "[]", "{", "{\"contexts\":[]}"] {
            assert!(matches!(Answer::parse(text, &rules()), Err(PartError::Shape(_))), "{text}");
        }
        let deep = format!("{{\"contexts\":[],\"part\":{}", "[".repeat(100_000));
        assert!(matches!(Answer::parse(&deep, &rules()), Err(PartError::Shape(_))));
    }

    #[test]
    fn what_is_too_large_is_refused() {
        assert!(matches!(parse(&json!({ "tooLarge": true })), Err(PartError::TooLarge)));
        let mut many = good();
        let nodes = many["part"]["results"][0]["nodes"].as_array_mut().unwrap();
        *nodes = vec![nodes[0].clone(); MAX_NODES + 1];
        assert!(matches!(parse(&many), Err(PartError::TooLarge)));
    }
}
