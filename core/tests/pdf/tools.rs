//! Programs that judge a file. A missing program fails the test: a file that nothing has judged has not passed.

use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use tempfile::TempDir;

/// Files on disk, removed when dropped.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    pub(crate) fn add(&self, name: &str, file: &[u8]) -> PathBuf {
        let path = self.0.path().join(format!("{name}.pdf"));
        fs::write(&path, file).unwrap();
        path
    }
}

/// Returns the structure tree with its text, as Poppler prints it.
pub(crate) fn structure(file: &Path) -> String {
    text_of(run("pdfinfo", "poppler-utils", [OsStr::new("-struct-text"), file.as_ref()]))
}

/// A word on a page.
#[derive(Debug, Clone)]
pub(crate) struct Word {
    pub(crate) page: usize,
    /// The left edge, in points.
    pub(crate) x: f32,
    /// The distance of the upper edge from the top of the page, in points.
    pub(crate) y: f32,
    pub(crate) text: String,
}

/// Returns the words of the file in the order in which they are drawn, without those at the foot of a page.
pub(crate) fn words_as_drawn(file: &Path) -> Vec<Word> {
    let arguments = [OsStr::new("-raw"), "-bbox".as_ref(), file.as_ref(), "-".as_ref()];
    let list = text_of(run("pdftotext", "poppler-utils", arguments));
    let pages = list.split("<page ").skip(1).enumerate();
    let words = pages.flat_map(|(page, list)| list.lines().filter_map(move |line| word(page, line)));
    words.filter(|word| word.y < 780.0).collect()
}

fn word(page: usize, line: &str) -> Option<Word> {
    let (attributes, text) = line.trim().strip_prefix("<word ")?.strip_suffix("</word>")?.split_once('>')?;
    let attribute = |name: &str| attributes.split(name).nth(1)?.split('"').nth(1)?.parse().ok();
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    let text = entities.iter().fold(text.to_owned(), |text, (entity, character)| text.replace(entity, character));
    Some(Word { page, x: attribute("xMin")?, y: attribute("yMin")?, text })
}

/// Returns the text that is read aloud, without spaces.
pub(crate) fn text_as_read(file: &Path) -> String {
    let tree = structure(file);
    let texts = tree.lines().map(str::trim).filter_map(|line| line.strip_prefix('"')?.strip_suffix('"'));
    texts.flat_map(str::split_whitespace).collect()
}

/// Asserts that the text is read aloud in the order in which the eye meets it.
pub(crate) fn assert_read_as_drawn(name: &str, file: &Path) {
    let (drawn, read) = (words_as_drawn(file), text_as_read(file));
    assert!(read.len() > 300, "{name}");
    let mut rest = read.as_str();
    for line in drawn.chunk_by(|before, after| before.page == after.page && (before.y - after.y).abs() < 1.0) {
        let text: String = line.iter().map(|word| word.text.as_str()).collect();
        match rest.strip_prefix(&text) {
            Some(after) => rest = after,
            // The head of a continued table is repeated at the top of a page, and is not read again.
            None if line[0].y < 65.0 => {}
            None => {
                panic!("{name}: {text:?} is drawn where {:?} is read", rest.chars().take(60).collect::<String>())
            }
        }
    }
    assert_eq!(rest, "", "{name}: read, but not drawn");
    // The eye goes down, or up again to the next column of a table: to the right.
    for pair in drawn.windows(2) {
        let [before, after] = pair else { unreachable!("windows of two") };
        let down = after.y > before.y - 4.0;
        assert!(after.page > before.page || down || after.x > before.x, "{name}: {before:?} {after:?}");
    }
}

/// Returns the names of the fonts, each with whether it is embedded, a subset, and readable as text.
pub(crate) fn fonts(file: &Path) -> Vec<(String, [bool; 3])> {
    let list = text_of(run("pdffonts", "poppler-utils", [file]));
    let font = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let flags = words.len() - 5..words.len() - 2;
        let flags: Vec<bool> = words[flags].iter().map(|flag| *flag == "yes").collect();
        (words[0].to_owned(), flags.try_into().unwrap())
    };
    list.lines().skip(2).map(font).collect()
}

/// Returns the output of `pdfinfo` for the file.
pub(crate) fn information(file: &Path) -> String {
    text_of(run("pdfinfo", "poppler-utils", [file]))
}

/// Returns the titles of the bookmarks, indented by their depth.
pub(crate) fn bookmarks(file: &Path) -> Vec<String> {
    fn walk(entries: &serde_json::Value, depth: usize, titles: &mut Vec<String>) {
        for entry in entries.as_array().unwrap() {
            assert!(entry["destpageposfrom1"].is_u64(), "a bookmark that leads nowhere: {entry}");
            titles.push(format!("{}{}", "  ".repeat(depth), entry["title"].as_str().unwrap()));
            walk(&entry["kids"], depth + 1, titles);
        }
    }
    let json = run("qpdf", "qpdf", [OsStr::new("--json"), "--json-key=outlines".as_ref(), file.as_ref()]);
    let json: serde_json::Value = serde_json::from_str(&text_of(json)).unwrap();
    let mut titles = Vec::new();
    walk(&json["outlines"], 0, &mut titles);
    titles
}

/// Asserts that the file is whole: `qpdf --check`.
pub(crate) fn check(file: &Path) {
    text_of(run("qpdf", "qpdf", [OsStr::new("--check"), file.as_ref()]));
}

/// Returns the file with nothing in it compressed.
pub(crate) fn unpacked(file: &Path) -> String {
    let arguments = [OsStr::new("--qdf"), "--object-streams=disable".as_ref(), file.as_ref(), "-".as_ref()];
    String::from_utf8_lossy(&run("qpdf", "qpdf", arguments).stdout).into_owned()
}

/// Returns the verdicts of veraPDF on the files, in the same order: `Ok` with the number of assertions of PDF/UA-1 that
/// hold, or the failed ones.
pub(crate) fn validate(files: &[PathBuf]) -> Vec<Result<u64, String>> {
    let classes = std::env::var_os("A11YCHECK_PDF_VALIDATOR").unwrap_or_else(|| {
        panic!("A11YCHECK_PDF_VALIDATOR is not set: run the tests with `cargo xtask test`, which fetches the validator")
    });
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/pdf/Validate.java");
    let mut arguments = vec![OsStr::new("-cp"), &classes, program.as_ref()];
    arguments.extend(files.iter().map(|file| file.as_os_str()));
    let output = run("java", "default-jdk-headless", arguments);
    let text = String::from_utf8(output.stdout).unwrap();
    let mut verdicts: Vec<Result<u64, String>> = Vec::new();
    for line in text.lines() {
        if let Some(passed) = line.strip_prefix("pass ") {
            verdicts.push(Ok(passed.rsplit(' ').next().unwrap().parse().unwrap()));
        } else if line.starts_with("FAIL ") {
            verdicts.push(Err(line.to_owned()));
        } else if let Some(Err(failures)) = verdicts.last_mut() {
            failures.push('\n');
            failures.push_str(line);
        }
    }
    assert_eq!(verdicts.len(), files.len(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    verdicts
}

fn run<A: AsRef<OsStr>>(program: &str, package: &str, arguments: impl IntoIterator<Item = A>) -> Output {
    Command::new(program).args(arguments).output().unwrap_or_else(|error| {
        panic!("{program} can't be run ({error}): install it (Debian's package: {package}), or run `cargo xtask test`")
    })
}

fn text_of(output: Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{}: {said}", output.status);
    String::from_utf8(output.stdout).unwrap()
}
