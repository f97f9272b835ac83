//! Our files as programs of others read them. A missing program fails the test: a file that nothing has read is not tested.

use std::{
    env,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use a11ycheck_cli::{output::Format, run::Run};
use serde_json::Value;
use tempfile::TempDir;

use crate::fixture::{CONTACT, GONE, HOME, HOSTILE, clean, json_of, many, ordinary, saying, written};

fn runs() -> Vec<(String, Run)> {
    let named = [("ordinary", ordinary()), ("clean", clean()), ("many", many(600))];
    let hostile = HOSTILE.iter().enumerate().map(|(number, text)| (format!("hostile-{number}"), saying(text)));
    named.map(|(name, run)| (name.to_owned(), run)).into_iter().chain(hostile).collect()
}

/// Writes runs in a format into a folder; returns the files with the runs.
fn files(folder: &TempDir, format: Format, ending: &str) -> Vec<(PathBuf, Run)> {
    let file = |(name, run): (String, Run)| {
        let path = folder.path().join(format!("{name}.{ending}"));
        fs::write(&path, written(format, &run)).unwrap();
        (path, run)
    };
    runs().into_iter().map(file).collect()
}

/// The schema is that of the package, which has OASIS's with errata 01.
#[test]
fn sarif_meets_its_schema() {
    let path = Path::new(&named("A11YCHECK_SARIF")).join("sarif-2.1.0.json");
    let schema: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let status = &schema["definitions"]["suppression"]["properties"]["status"];
    assert!(status.is_object(), "before errata 01 it was `state`");
    let validator = jsonschema::validator_for(&schema).unwrap();
    for (name, run) in runs() {
        let errors: Vec<_> = validator
            .iter_errors(&json_of(Format::Sarif, &run))
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{name}: {errors:?}");
    }
}

/// Microsoft's reader, which GitHub's own check is built on.
#[test]
fn the_sarif_sdk_reads_every_file_and_has_no_complaint() {
    let folder = TempDir::new().unwrap();
    let program = Path::new(&named("A11YCHECK_SARIF")).join("Sarif.Multitool");
    let files = files(&folder, Format::Sarif, "sarif");
    let mut tool = Command::new(program);
    // It comes without the tables of languages.
    tool.env("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", "1").arg("validate");
    let output = tool.args(files.iter().map(|(path, _)| path)).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains(&format!("{} files scanned", files.len())), "{said}");
    assert!(!said.contains(": error "), "{said}");
}

#[test]
fn junitparser_counts_the_pages_and_rules() {
    let folder = TempDir::new().unwrap();
    for (path, run) in files(&folder, Format::Junit, "xml") {
        let read = python("read_junit.py", &path);
        let suites = read.as_array().unwrap();
        assert_eq!(suites.len(), run.pages.len(), "{path:?}");
        for suite in suites {
            let cases = suite["cases"].as_array().unwrap();
            let count = |kind: &str| cases.iter().filter(|case| case["result"] == kind).count() as u64;
            for (counter, kind) in [("failures", "Failure"), ("errors", "Error"), ("skipped", "Skipped")] {
                assert_eq!(suite[counter].as_u64(), Some(count(kind)), "{path:?} {counter}");
            }
            assert_eq!(suite["tests"].as_u64(), Some(cases.len() as u64));
            let mut names: Vec<_> =
                cases.iter().map(|case| (case["classname"].clone(), case["name"].clone())).collect();
            let all = names.len();
            names.sort_by_key(|(class, name)| format!("{class}{name}"));
            names.dedup();
            assert_eq!(names.len(), all, "GitLab counts equal names once");
        }
    }
    let path = folder.path().join("ordinary.xml");
    let read = python("read_junit.py", &path);
    let results: Vec<_> = read
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|suite| suite["cases"].as_array().unwrap())
        .map(|case| (case["name"].as_str().unwrap(), case["result"].as_str().unwrap_or("Passed")))
        .collect();
    assert_eq!(
        results,
        [
            ("page is checked", "Passed"),
            ("color-contrast", "Skipped"),
            ("image-alt", "Failure"),
            ("region", "Skipped"),
            ("page is checked", "Passed"),
            ("image-alt", "Skipped"),
            ("page is checked", "Error"),
        ]
    );
}

#[test]
fn a_json_ld_processor_reads_what_is_asserted_of_each_page() {
    let folder = TempDir::new().unwrap();
    for (path, _) in files(&folder, Format::Earl, "json") {
        let read = python("read_earl.py", &path);
        for assertion in read.as_array().unwrap() {
            for field in ["mode", "outcome", "page", "test", "by"] {
                assert!(assertion[field].is_string(), "{path:?}: {assertion}");
            }
        }
    }
    let read = python("read_earl.py", &folder.path().join("ordinary.json"));
    let mut said: Vec<(&str, &str, &str, usize)> = read
        .as_array()
        .unwrap()
        .iter()
        .map(|assertion| {
            let text = |field: &str| assertion[field].as_str().unwrap();
            (text("page"), text("test"), text("outcome"), assertion["pointers"].as_array().unwrap().len())
        })
        .collect();
    said.sort_unstable();
    assert_eq!(
        said,
        [
            (HOME, "audio-caption", "inapplicable", 0),
            (HOME, "color-contrast", "failed", 2),
            (HOME, "frame-title-unique", "cantTell", 1),
            (HOME, "html-has-lang", "passed", 0),
            (HOME, "image-alt", "failed", 1),
            (HOME, "region", "failed", 1),
            // Something did not arrive on this page: no rule is said to be met.
            (CONTACT, "image-alt", "failed", 1),
        ]
    );
    assert!(said.iter().all(|(page, ..)| *page != GONE), "nothing is said of a page that was not checked");
}

/// Returns the output of a script of this folder for a file.
fn python(script: &str, file: &Path) -> Value {
    let mut python = Command::new(named("A11YCHECK_CLI_READERS"));
    python.env("PYTHONDONTWRITEBYTECODE", "1");
    python.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats").join(script)).arg(file);
    let output = python.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Returns the value of a variable that `cargo xtask test` sets.
pub(crate) fn named(variable: &str) -> OsString {
    env::var_os(variable).unwrap_or_else(|| {
        panic!("{variable} is not set: run the tests with `cargo xtask test`, which fetches what it names")
    })
}
