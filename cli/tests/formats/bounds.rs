//! The bounds of those who read the files, and that equal runs give equal files.

use std::io::Write as _;

use a11ycheck_cli::output::Format;
use flate2::{Compression, write::GzEncoder};
use serde_json::Value;

use crate::fixture::{HOSTILE, clean, json_of, many, ordinary, saying, written};

/// Calls `look` with each value of a key, wherever it is.
fn each<'a>(value: &'a Value, key: &str, look: &mut impl FnMut(&'a Value)) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                if name == key {
                    look(value);
                }
                each(value, key, look);
            }
        }
        Value::Array(values) => values.iter().for_each(|value| each(value, key, look)),
        _ => {}
    }
}

#[test]
fn githubs_code_scanning_refuses_a_file_with_an_address_where_it_wants_a_path() {
    for run in [ordinary(), clean(), many(100)].into_iter().chain(HOSTILE.map(saying)) {
        let sarif = json_of(Format::Sarif, &run);
        let mut count = 0;
        each(&sarif, "uri", &mut |uri| {
            let uri = uri.as_str().unwrap();
            assert!(!uri.is_empty() && !uri.contains(':') && !uri.starts_with('/'), "{uri}");
            count += 1;
        });
        assert!(count >= run.findings.len());
    }
}

#[test]
fn of_30_000_elements_the_25_000_most_severe_are_results_and_a_notification_says_so() {
    let run = many(30_000);
    let bytes = written(Format::Sarif, &run);
    let sarif: Value = serde_json::from_slice(&bytes).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 25_000);
    let count = |level: &str| results.iter().filter(|result| result["level"] == level).count();
    assert_eq!((count("error"), count("warning")), (20_000, 5_000), "of 10,000 of each severity");
    let notification = &sarif["runs"][0]["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"];
    assert!(notification.as_str().unwrap().starts_with("5000 findings are left out"), "{notification}");

    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(&bytes).unwrap();
    let size = gzip.finish().unwrap().len();
    assert!(size <= 10_000_000, "GitHub takes 10 MB: {size}");

    let junit = written(Format::Junit, &run).len();
    assert!(junit <= 30_000_000, "GitLab takes 30 MB: {junit}");
}

#[test]
fn elements_that_look_alike_are_numbered_on_their_page() {
    let mut run = ordinary();
    let key = run.findings[1].key.clone();
    run.findings[2].key.clone_from(&key);
    let sarif = json_of(Format::Sarif, &run);
    let mut prints: Vec<String> = Vec::new();
    each(&sarif, "primaryLocationLineHash", &mut |print| prints.push(print.as_str().unwrap().to_owned()));
    assert!(prints.contains(&format!("{key}:1")) && prints.contains(&format!("{key}:2")), "{prints:?}");
}

#[test]
fn a_result_of_sarif_says_what_github_reads() {
    let sarif = json_of(Format::Sarif, &ordinary());
    let run = &sarif["runs"][0];
    assert_eq!((&sarif["version"], &run["automationDetails"]["id"]), (&"2.1.0".into(), &"a11ycheck/".into()));
    let rule = &run["tool"]["driver"]["rules"][2];
    assert_eq!(rule["id"], "image-alt");
    for text in [&rule["shortDescription"]["text"], &rule["fullDescription"]["text"], &rule["help"]["text"]] {
        assert!((1..=1_024).contains(&text.as_str().unwrap().len()), "{text}");
    }
    let results = run["results"].as_array().unwrap();
    let first = &results[0];
    assert_eq!(
        (&first["ruleId"], &first["ruleIndex"], &first["level"]),
        (&"image-alt".into(), &2.into(), &"error".into())
    );
    let location = &first["locations"][0]["physicalLocation"];
    assert_eq!(location["artifactLocation"]["uri"], "shop.example/index");
    assert_eq!(location["region"]["startLine"], 1);
    assert_eq!((&first["baselineState"], &results[1]["baselineState"]), (&"new".into(), &"unchanged".into()));
    assert_eq!(first["properties"]["pageUrl"], "https://shop.example/");
    let accepted = results.iter().find(|result| result["suppressions"].is_array()).unwrap();
    assert_eq!(accepted["suppressions"][0]["status"], "accepted");
    let notification = &run["invocations"][0]["toolExecutionNotifications"][0];
    assert!(notification["message"]["text"].as_str().unwrap().contains("/gone was not checked"), "{notification}");
}

#[test]
fn two_writings_of_a_run_are_equal() {
    for run in [ordinary(), saying(HOSTILE[3])] {
        for format in Format::ALL.into_iter().filter(|format| format.is_built_in()) {
            assert!(written(format, &run) == written(format, &run.clone()), "{format}");
        }
    }
}
