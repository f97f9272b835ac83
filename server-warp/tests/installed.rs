//! The program as an operator installs it: apart from this repository, started from any folder.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::{
    env, fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use serde_json::Value;
use tempfile::TempDir;

/// Returns the path of axe-core for the tests.
fn axe() -> PathBuf {
    let pinned = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../node_modules/axe-core/axe.min.js");
    env::var_os("A11YCHECK_AXE").map_or_else(pinned, PathBuf::from).canonicalize().unwrap()
}

/// Makes a prefix with the program in `bin`.
fn installed() -> (TempDir, PathBuf) {
    // In the folder where the program was built, so that a link will do: a file that was just written can't always be
    // executed at once.
    let prefix = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let bin = prefix.path().join("bin");
    fs::create_dir(&bin).unwrap();
    let program = bin.join("a11ycheck-server");
    fs::hard_link(env!("CARGO_BIN_EXE_a11ycheck-server"), &program).unwrap();
    (prefix, program)
}

/// Runs `admin doctor` from the root folder, without a setting for axe-core.
fn doctor(program: &Path, change: impl Fn(&mut Command) -> &mut Command) -> (Output, Value) {
    let mut command = Command::new(program);
    command.args(["admin", "--json", "doctor"]).current_dir("/").env_remove("A11YCHECK_AXE");
    let output = change(&mut command).output().unwrap();
    let things = serde_json::from_slice(&output.stdout);
    let things = things.unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    (output, things)
}

/// Returns state and details of one thing.
fn thing<'a>(things: &'a Value, name: &str) -> (&'a str, &'a str) {
    let thing = things.as_array().unwrap().iter().find(|thing| thing["name"] == name).unwrap();
    (thing["state"].as_str().unwrap(), thing["details"].as_str().unwrap())
}

#[test]
fn axe_core_beside_the_program_or_in_its_share_folder_is_found_from_any_folder() {
    for place in ["bin/axe.min.js", "share/a11ycheck/axe.min.js"] {
        let (prefix, program) = installed();
        let script = prefix.path().join(place);
        fs::create_dir_all(script.parent().unwrap()).unwrap();
        symlink(axe(), &script).unwrap();
        let (output, things) = doctor(&program, |command| command);
        let (state, details) = thing(&things, "axe-core");
        assert_eq!(state, "ok", "{details}");
        assert!(details.contains(place), "{details}");
        assert!(output.status.success(), "{things}");
    }
}

#[test]
fn whoever_links_to_the_program_gets_what_lies_with_the_program() {
    let (prefix, program) = installed();
    fs::create_dir_all(prefix.path().join("share/a11ycheck")).unwrap();
    symlink(axe(), prefix.path().join("share/a11ycheck/axe.min.js")).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let link = elsewhere.path().join("a11ycheck-server");
    symlink(program, &link).unwrap();
    let (_, things) = doctor(&link, |command| command);
    let (state, details) = thing(&things, "axe-core");
    assert_eq!(state, "ok", "{details}");
}

#[test]
fn what_is_missing_is_named_with_what_to_do_and_scripts_see_it_by_the_exit_code() {
    let (_prefix, program) = installed();
    let (output, things) = doctor(&program, |command| {
        command.env("A11YCHECK_AXE", "/nowhere/axe.min.js").env("A11YCHECK_CHROMIUM", "/nowhere/chromium")
    });
    assert_eq!(output.status.code(), Some(1));
    let (state, details) = thing(&things, "axe-core");
    assert!(state == "missing" && details.contains("/nowhere/axe.min.js"), "{details}");
    let (state, details) = thing(&things, "browser");
    assert!(state == "missing" && details.contains("/nowhere/chromium"), "{details}");
    assert_eq!(thing(&things, "fonts").0, "unknown");
}

#[test]
fn the_fonts_that_the_browser_has_are_named_and_none_at_all_is_reported() {
    let (_prefix, program) = installed();
    let folder = tempfile::tempdir().unwrap();
    let fonts = folder.path().join("fonts");
    fs::create_dir(&fonts).unwrap();
    let config = folder.path().join("fonts.conf");
    let (fonts_folder, cache) = (fonts.display(), folder.path().join("cache"));
    let text = format!(
        "<?xml version='1.0'?><fontconfig><dir>{fonts_folder}</dir><cachedir>{}</cachedir></fontconfig>",
        cache.display()
    );
    fs::write(&config, text).unwrap();
    let ask = || doctor(&program, |command| command.env("A11YCHECK_AXE", axe()).env("FONTCONFIG_FILE", &config));

    let (output, things) = ask();
    let (state, details) = thing(&things, "fonts");
    assert!(state == "missing" && details.contains("fonts-dejavu-core"), "{details}");
    assert_eq!(output.status.code(), Some(1));

    fs::write(fonts.join("DejaVuSans.ttf"), dejavu::sans::regular()).unwrap();
    let (output, things) = ask();
    let (state, details) = thing(&things, "fonts");
    assert!(state == "ok" && details.contains("DejaVu Sans for sans-serif, serif"), "{details}");
    assert!(output.status.success(), "{things}");
}
