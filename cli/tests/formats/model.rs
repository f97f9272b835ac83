//! The document of a run, which is read again.

use std::path::Path;

use a11ycheck_cli::{
    output::Format,
    run::{ReadRunError, Run, Since},
};
use a11ycheck_core::locale::Locale;
use serde_json::Value;

use crate::{
    fixture::{HOSTILE, clean, many, ordinary, ordinary_findings, ordinary_in, run_of, saying, written},
    golden::assert_file,
};

#[test]
fn a_run_is_read_as_it_was_written() {
    let runs = Locale::ALL.into_iter().map(ordinary_in).chain([clean(), many(30)]).chain(HOSTILE.map(saying));
    for run in runs {
        assert_eq!(Run::read(&written(Format::Json, &run)).unwrap(), run);
    }
}

#[test]
fn every_format_of_a_run_that_was_read_is_that_of_the_run() {
    let run = ordinary_in(Locale::De);
    let read = Run::read(&written(Format::Json, &run)).unwrap();
    for format in Format::ALL.into_iter().filter(|format| format.is_built_in()) {
        assert!(written(format, &run) == written(format, &read), "{format}");
        assert!(!written(format, &run).is_empty(), "{format}");
    }
}

#[test]
fn the_findings_of_the_scanner_are_kept_in_every_field() {
    let findings = ordinary_findings();
    let run = run_of(&findings, Locale::Pl);
    let mut expected = findings;
    // It was not kept.
    expected.screen = None;
    // They are the program's.
    expected.engine = expected.engine.with_probes(env!("CARGO_PKG_VERSION"));
    assert_eq!(run.findings(), expected);
    let mut marked = run;
    marked.findings[1].since = Since::New;
    expected.items[1].is_new = true;
    assert_eq!(Run::read(&written(Format::Json, &marked)).unwrap().findings(), expected);
}

#[test]
fn the_html_report_has_the_pictures_that_were_kept() {
    let html = String::from_utf8(written(Format::Html, &ordinary())).unwrap();
    assert_eq!(html.matches("src=\"data:image/webp;base64,").count(), 2, "the first page, and the logo");
    assert!(html.starts_with("<!DOCTYPE html>"));
}

#[test]
fn another_form_and_another_file_are_refused_with_what_to_do() {
    let refused = |document: &str| Run::read(document.as_bytes()).unwrap_err();
    let error = refused("{\"format\": 2, \"new\": true}");
    assert!(matches!(error, ReadRunError::OtherFormat { found: 2 }), "{error:?}");
    assert!(error.to_string().contains("format 2, and this program reads format 1"), "{error}");
    for document in ["", "[]", "{}", "{\"format\": 1}", "{\"format\": \"1\"}"] {
        assert!(matches!(refused(document), ReadRunError::NotARun(_)), "{document}");
    }
}

#[test]
fn a_field_of_a_later_release_is_passed_over() {
    let mut document: Value = serde_json::from_slice(&written(Format::Json, &ordinary())).unwrap();
    document["of_tomorrow"] = 1.into();
    document["findings"][0]["of_tomorrow"] = "x".into();
    assert_eq!(Run::read(document.to_string().as_bytes()).unwrap(), ordinary());
}

#[test]
fn the_schema_is_the_published_one_and_every_run_meets_it() {
    let schema = serde_json::to_value(Run::schema()).unwrap();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema/run-1.json");
    assert_file(&path, &format!("{}\n", serde_json::to_string_pretty(&schema).unwrap()));
    let validator = jsonschema::validator_for(&schema).unwrap();
    for run in [ordinary(), clean(), many(30)].into_iter().chain(HOSTILE.map(saying)) {
        let document: Value = serde_json::from_slice(&written(Format::Json, &run)).unwrap();
        let errors: Vec<_> = validator.iter_errors(&document).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:?}");
    }
    let mut without = serde_json::to_value(ordinary()).unwrap();
    without["findings"][0].as_object_mut().unwrap().remove("rule");
    assert!(!validator.is_valid(&without), "it requires something");
}

#[test]
fn a_line_of_jsonl_is_a_page_or_an_element_with_its_address() {
    let text = String::from_utf8(written(Format::Jsonl, &ordinary())).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let kinds: Vec<_> = lines.iter().map(|line| line["type"].as_str().unwrap()).collect();
    let finding = "finding";
    assert_eq!(kinds, ["run", "page", finding, finding, finding, finding, "undecided", "page", finding, "page", "end"]);
    assert_eq!((&lines[2]["url"], &lines[2]["rule"]), (&"https://shop.example/".into(), &"image-alt".into()));
    assert_eq!((&lines[10]["code"], &lines[10]["pages_not_checked"]), (&1.into(), &1.into()));
}
