//! What a page can do to a workflow of GitHub Actions: nothing.

use std::fs;

use a11ycheck_cli::{
    output::{CiRunner, Format, OutputRequest, Outputs, TextOptions, WriteOptions, safe},
    run::Run,
};
use a11ycheck_core::domain::RuleId;
use proptest::prelude::*;

use crate::{
    fixture::{HOSTILE, many, ordinary, saying, written},
    runner::{Command, carried_out},
};

const TOKEN: &str = "4f9d0a7c1e6b";

/// Returns the raw bytes that a step prints.
fn printed(run: &Run, requests: &[&str], show: bool) -> Vec<u8> {
    let requests: Vec<OutputRequest> = requests.iter().map(|request| request.parse().unwrap()).collect();
    let runner = CiRunner::Github { summary: None };
    let outputs = Outputs::open(&requests, Some(&runner)).unwrap();
    let mut text = TextOptions::default();
    (text.show.accepted, text.show.review) = (show, show);
    let options = WriteOptions { text, runner: Some(runner), stop_token: TOKEN.to_owned(), ..WriteOptions::default() };
    let mut bytes = Vec::new();
    outputs.write(run, &options, &mut bytes).unwrap();
    bytes
}

/// Returns the commands other than ours that the runner carries out.
fn foreign(printed: &[u8]) -> Vec<Command> {
    let is_ours = |command: &Command| match command.name.as_str() {
        "stop-commands" => command.data == TOKEN,
        "error" | "warning" | "notice" => {
            command.properties.iter().all(|(key, _)| matches!(key.as_str(), "title" | "file" | "line"))
        }
        _ => false,
    };
    carried_out(printed).into_iter().filter(|command| !is_ours(command)).collect()
}

const SAFE: [&[&str]; 9] = [
    &[],
    &["github"],
    &["json"],
    &["jsonl"],
    &["sarif"],
    &["junit"],
    &["gitlab-quality"],
    &["gitlab-accessibility"],
    &["earl"],
];

#[test]
fn no_text_of_a_page_is_a_command_in_any_format() {
    for text in HOSTILE {
        let run = saying(text);
        for requests in SAFE {
            let bytes = printed(&run, requests, true);
            assert_eq!(foreign(&bytes), [], "{text:?} {requests:?}");
            // The text would stop more than itself if it knew the token, or if it could end what the token began.
            let ours = carried_out(&bytes).iter().filter(|command| command.name == "stop-commands").count();
            assert_eq!(ours, usize::from(requests.is_empty() || requests == ["github"]), "{text:?} {requests:?}");
        }
        let log = safe::for_log(text);
        assert_eq!(carried_out(log.as_bytes()), [], "{text:?}");
    }
}

#[test]
fn an_annotation_says_what_a_page_says_and_nothing_else() {
    for text in HOSTILE {
        let commands = carried_out(&written(Format::Github, &saying(text)));
        let kinds: Vec<_> = commands.iter().map(|command| command.name.as_str()).collect();
        assert_eq!(kinds, ["error", "error"], "{text:?}: {commands:?}");
        for command in &commands {
            let keys: Vec<_> = command.properties.iter().map(|(key, _)| key.as_str()).collect();
            assert!(keys == ["title"] || keys == ["file", "line", "title"], "{text:?}: {command:?}");
            assert!(!command.data.contains(char::is_control), "{command:?}");
        }
    }
}

#[test]
fn formats_that_cannot_be_made_safe_need_a_file() {
    for format in [Format::Csv, Format::Html, Format::Markdown] {
        let request = OutputRequest { format, file: None };
        let github = CiRunner::Github { summary: None };
        let error = Outputs::open(std::slice::from_ref(&request), Some(&github)).unwrap_err();
        assert!(error.to_string().contains(&format!("-o {format}=FILE")), "{error}");
        Outputs::open(&[request], None).unwrap();
    }
}

#[test]
fn a_step_has_ten_annotations_of_a_kind_and_the_last_says_how_many_more() {
    let mut run = many(30);
    run.exit.gate_failed = true;
    let (rule, finding) = (run.rules[&RuleId::new("label")].clone(), run.findings[0].clone());
    for number in 0..20 {
        let id = RuleId::new(format!("rule-{number:02}"));
        run.rules.insert(id.clone(), rule.clone());
        run.findings.push(a11ycheck_cli::run::RunFinding { rule: id, ..finding.clone() });
    }
    let commands = carried_out(&written(Format::Github, &run));
    let errors: Vec<_> = commands.iter().filter(|command| command.name == "error").collect();
    assert_eq!(errors.len(), 10);
    assert!(errors[0].properties[0].1.contains("image-alt, critical"), "the most severe first: {:?}", errors[0]);
    assert!(errors[9].data.starts_with("And 13 more"), "{:?}", errors[9]);
}

#[test]
fn a_step_that_succeeds_shows_nothing_in_red() {
    let mut run = ordinary();
    run.exit = a11ycheck_cli::run::Exit { allowed_unchecked: 1, pages_not_checked: 1, ..Default::default() };
    let commands = carried_out(&written(Format::Github, &run));
    assert!(commands.iter().all(|command| command.name != "error"), "{commands:?}");
}

#[test]
fn the_job_summary_is_appended_and_keeps_within_githubs_bound() {
    let folder = tempfile::tempdir().unwrap();
    let summary = folder.path().join("summary.md");
    fs::write(&summary, "# An earlier command of the step\n".repeat(31_000)).unwrap();
    let before = fs::metadata(&summary).unwrap().len();
    // One section is some 1,300 bytes.
    let mut run = many(60);
    let (rule, findings) = (run.rules[&RuleId::new("label")].clone(), run.findings[..10].to_vec());
    for number in 0..60 {
        let id = RuleId::new(format!("rule-{number}"));
        run.rules.insert(id.clone(), rule.clone());
        run.findings.extend(
            findings.iter().map(|finding| a11ycheck_cli::run::RunFinding { rule: id.clone(), ..finding.clone() }),
        );
    }
    let runner = CiRunner::Github { summary: Some(summary.clone()) };
    let outputs = Outputs::open(&["github".parse().unwrap()], Some(&runner)).unwrap();
    outputs.write(&run, &WriteOptions::default(), &mut Vec::new()).unwrap();
    let text = fs::read_to_string(&summary).unwrap();
    assert!(text.len() as u64 > before && text.len() <= 1024 * 1024, "{} bytes", text.len());
    assert!(text.starts_with("# An earlier") && text.contains("## Accessibility: "));
    assert!(text.trim_end().ends_with("further sections have no room here: the other formats have all."), "it says so");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn whatever_a_page_says_the_runner_does_nothing(
        text in "(::|##\\[|\\]|set-env|error|stop-commands|4f9d| |\t|\r|\n|%0A|a|=|,|\\\\|\"|\u{1b}){0,14}",
        which in 0_usize..9,
    ) {
        let run = saying(&text);
        prop_assert_eq!(foreign(&printed(&run, SAFE[which], true)), []);
        prop_assert_eq!(carried_out(safe::for_log(&text).as_bytes()), []);
    }
}
