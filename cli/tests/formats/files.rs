//! Files that are written whole or not at all.

use std::{fs, path::Path};

use a11ycheck_cli::output::{Format, OutputError, OutputRequest, Outputs, WriteOptions};

use crate::fixture::{ordinary, written};

fn request(format: Format, file: impl AsRef<Path>) -> OutputRequest {
    OutputRequest { format, file: Some(file.as_ref().to_owned()) }
}

#[test]
fn a_file_has_its_old_content_until_the_new_one_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.json");
    fs::write(&file, "old").unwrap();
    let outputs = Outputs::open(&[request(Format::Json, &file)], None).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "old");
    drop(outputs);
    assert_eq!(fs::read_to_string(&file).unwrap(), "old", "a run that ends early changes nothing");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "and leaves nothing");

    let outputs = Outputs::open(&[request(Format::Json, &file)], None).unwrap();
    let mut text = Vec::new();
    outputs.write(&ordinary(), &WriteOptions::default(), &mut text).unwrap();
    assert!(fs::read(&file).unwrap() == written(Format::Json, &ordinary()));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    let text = String::from_utf8(text).unwrap();
    assert!(text.contains("written: ") && text.contains("json"), "the text names it: {text}");
}

#[test]
fn what_cannot_be_written_is_known_before_a_page_is_checked() {
    let folder = tempfile::tempdir().unwrap();
    let there = folder.path().join("folder");
    fs::create_dir(&there).unwrap();
    for file in [there.clone(), folder.path().join("missing/run.json")] {
        let error = Outputs::open(&[request(Format::Json, &file)], None).unwrap_err();
        assert!(matches!(&error, OutputError::Unwritable { file: named, .. } if *named == file), "{error:?}");
        assert!(error.to_string().ends_with("create its folder, or name another file"), "{error}");
    }
    let twice = [request(Format::Json, folder.path().join("a")), request(Format::Sarif, folder.path().join("a"))];
    assert!(matches!(Outputs::open(&twice, None), Err(OutputError::TwoInOneFile { .. })));
}

#[test]
fn two_formats_are_never_mixed_on_standard_output() {
    let request = |text: &str| text.parse::<OutputRequest>().unwrap();
    let error = Outputs::open(&[request("json"), request("sarif")], None).unwrap_err();
    assert!(error.to_string().contains("-o sarif=FILE"), "{error}");
    assert!(matches!(
        Outputs::open(&[request("pdf")], None),
        Err(OutputError::NotText | OutputError::NotBuiltIn { .. })
    ));
    assert!(matches!(
        Outputs::open(&[request("github"), request("json")], None),
        Err(OutputError::TwoOnStandardOutput { .. })
    ));
    Outputs::open(&[request("text"), request("github")], None).unwrap();
}

#[cfg(unix)]
#[test]
fn a_pipe_is_written_to_and_not_replaced() {
    use std::os::unix::fs::FileTypeExt as _;

    let outputs = Outputs::open(&[request(Format::Text, "/dev/null")], None).unwrap();
    outputs.write(&ordinary(), &WriteOptions::default(), &mut Vec::new()).unwrap();
    assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
}

#[cfg(unix)]
#[test]
fn a_link_still_leads_to_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let (file, link) = (folder.path().join("real.json"), folder.path().join("link.json"));
    fs::write(&file, "old").unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    let outputs = Outputs::open(&[request(Format::Json, &link)], None).unwrap();
    outputs.write(&ordinary(), &WriteOptions::default(), &mut Vec::new()).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(fs::read(&file).unwrap() == written(Format::Json, &ordinary()));
}
