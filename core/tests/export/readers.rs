//! Our files as programs of others read them. A missing program fails the test: a file that nothing has read is not tested.

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    ffi::{OsStr, OsString},
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use a11ycheck_core::{
    catalog::{criteria, terms},
    domain::{Assessment, AssessmentOutcome, DraftHead, Findings, NewAssessment},
    export::{
        Brand, ExportFormat, acr,
        acr::{AcrFormat, DraftOptions},
    },
    id::{SiteId, TeamId},
    locale::Locale,
};
use chrono::TimeDelta;
use serde_json::Value;
use tempfile::TempDir;

use crate::fixture::{checked_at, clean, exported, hostile, ordinary, site, source};

/// A name that is as hostile as the elements.
const NAME: &str = "=1 <img src=x onerror=alert(1)> [a](javascript:b) @team #1 `";

/// Returns ordinary and hostile files of a format, by name.
fn files(format: ExportFormat) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = Locale::ALL
        .iter()
        .map(|locale| (locale.to_string(), exported(format, &site("Our shop"), &ordinary(), *locale)))
        .collect();
    files.push(("hostile".to_owned(), exported(format, &site(NAME), &hostile(), Locale::Uk)));
    files
}

/// Writes files into a folder; returns their paths in the same order.
fn write(folder: &TempDir, ending: &str, files: &[(String, String)]) -> Vec<PathBuf> {
    let path = |(name, text): &(String, String)| {
        let path = folder.path().join(format!("{name}.{ending}"));
        fs::write(&path, text).unwrap();
        path
    };
    files.iter().map(path).collect()
}

/// Returns the rows of a CSV file, read by the crate that wrote it.
fn rows(file: &str) -> Vec<Vec<String>> {
    let text = file.trim_start_matches('\u{feff}').as_bytes();
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text);
    reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect()
}

#[test]
fn pythons_csv_reads_the_same_rows_as_were_written() {
    let folder = TempDir::new().unwrap();
    for format in [ExportFormat::Csv, ExportFormat::Jira] {
        let files = files(format);
        for ((name, file), path) in files.iter().zip(write(&folder, format.as_str(), &files)) {
            let read: Vec<Vec<String>> = serde_json::from_value(python("read_csv.py", &path)).unwrap();
            assert_eq!(read, rows(file), "{format} {name}");
            let count = match format {
                // The header and the elements.
                ExportFormat::Csv if name == "hostile" => 1 + hostile().items.len(),
                ExportFormat::Csv => 1 + ordinary().items.len(),
                // The header, and a row per problem rule.
                _ if name == "hostile" => 2,
                _ => 4,
            };
            assert_eq!(read.len(), count, "{format} {name}");
            let columns = if format == ExportFormat::Csv { 10 } else { 7 };
            assert!(read.iter().all(|row| row.len() == columns), "{format} {name}");
        }
    }
}

#[test]
fn markdown_it_finds_a_section_per_rule_an_item_per_element_and_nothing_alive() {
    let folder = TempDir::new().unwrap();
    let files = files(ExportFormat::Github);
    for ((name, _), path) in files.iter().zip(write(&folder, "md", &files)) {
        let read = python("read_markdown.py", &path);
        let headings = read["headings"].as_array().unwrap();
        let level = |tag: &str| headings.iter().filter(|heading| heading[0] == tag).count();
        let (rules, items) = if name == "hostile" { (1, hostile().items.len()) } else { (3, 5) };
        assert_eq!((level("h1"), level("h2"), headings.len()), (1, rules, rules + 1), "{name}: {headings:?}");
        assert_eq!(read["items"].as_array().unwrap().len(), items, "{name}");
        for link in read["links"].as_array().unwrap() {
            let address = link.as_str().unwrap();
            let is_ours =
                ["https://shop.example/", "https://rules.example/"].iter().any(|ours| address.starts_with(ours));
            assert!(is_ours, "{name}: {address}");
        }
        let kinds = read["kinds"].as_array().unwrap();
        for alive in ["html_inline", "html_block", "image", "table_open"] {
            assert!(!kinds.contains(&alive.into()), "{name}: {kinds:?}");
        }
    }
}

/// A `gh` that keeps what it is given instead of asking GitHub.
const GH: &str = r#"#!/bin/sh
printf '%s\n' "$@" >> "$KEPT/arguments"
case "$1" in issue) cat >> "$KEPT/bodies" ;; esac
"#;

#[test]
fn the_script_of_the_documentation_makes_an_issue_per_rule_with_title_and_labels() {
    use std::os::unix::fs::PermissionsExt as _;

    let page = include_str!("../../../docs/exports.md");
    let script = page.split_once("```sh\n").unwrap().1.split_once("```").unwrap().0;
    let folder = TempDir::new().unwrap();
    let file = exported(ExportFormat::Github, &site(NAME), &ordinary(), Locale::De);
    let [list, script] = [("list.md", file.as_str()), ("script.sh", script)].map(|(name, text)| {
        fs::write(folder.path().join(name), text).unwrap();
        folder.path().join(name)
    });
    let gh = folder.path().join("gh");
    fs::write(&gh, GH).unwrap();
    fs::set_permissions(&gh, fs::Permissions::from_mode(0o755)).unwrap();
    let mut path = folder.path().as_os_str().to_owned();
    path.push(":");
    path.push(env::var_os("PATH").unwrap());
    let mut shell = Command::new("sh");
    shell.arg("-eu").arg(script).arg(list).current_dir(&folder).env("PATH", path).env("KEPT", folder.path());
    run(&mut shell, "a POSIX shell, awk and sed");

    let kept = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    let arguments = kept("arguments");
    assert_eq!(arguments.matches("issue\ncreate\n--title\n").count(), 3, "{arguments}");
    let expected = "issue\ncreate\n--title\n[critical] Bilder ohne Textalternative (image-alt)\n--label\n\
        accessibility,a11y:critical,axe:image-alt\n--body-file\n-\n";
    assert!(arguments.contains(expected), "{arguments}");
    assert!(arguments.contains("label\ncreate\na11y:critical\n--force\n"), "{arguments}");
    let bodies = kept("bodies");
    assert_eq!(bodies.matches("- [ ] ").count(), 5, "{bodies}");
    assert!(!bodies.contains("Labels: ") && !bodies.contains("\n## ") && !bodies.contains("\n# "), "{bodies}");
}

#[test]
fn libreoffice_opens_csv_with_the_columns_and_characters_that_were_written_and_without_a_formula() {
    let folder = TempDir::new().unwrap();
    let files = [files(ExportFormat::Csv), files(ExportFormat::Jira)].concat();
    let names: Vec<(String, String)> =
        files.into_iter().enumerate().map(|(number, (name, file))| (format!("{number}-{name}"), file)).collect();
    let spreadsheets = opened(&folder, &write(&folder, "csv", &names));
    for ((name, file), spreadsheet) in names.iter().zip(&spreadsheets) {
        let read = python("read_spreadsheet.py", spreadsheet);
        let read: Vec<&Vec<Value>> = read.as_array().unwrap().iter().map(|row| row.as_array().unwrap()).collect();
        let written = rows(file);
        assert_eq!(read.len(), written.len(), "{name}");
        for (read, written) in read.iter().zip(&written) {
            assert!(
                read.len() >= written.len() && read[written.len()..].iter().all(|cell| cell["text"] == ""),
                "{name}"
            );
            for (read, written) in read.iter().zip(written) {
                assert_eq!(read["formula"], Value::Null, "{name}: {written}");
                assert_eq!(read["text"].as_str().unwrap(), as_shown(written), "{name}");
                let kind = if written.is_empty() { Value::Null } else { "string".into() };
                assert_eq!(read["kind"], kind, "{name}: {written}");
            }
        }
    }
}

/// Returns a cell's text as a spreadsheet shows it.
fn as_shown(written: &str) -> String {
    written.replace("\r\n", "\n").replace('\r', "\n")
}

/// Opens the files in LibreOffice, and returns each as a flat spreadsheet in XML.
fn opened(folder: &TempDir, files: &[PathBuf]) -> Vec<PathBuf> {
    // Comma, quotation mark, UTF-8: the proposal of its dialog for such a file.
    converted(folder, files, &["--infilter=CSV:44,34,76,1"], "fods")
}

/// Opens the files in LibreOffice with these options, and returns each in another format.
fn converted(folder: &TempDir, files: &[PathBuf], options: &[&str], format: &str) -> Vec<PathBuf> {
    let out = folder.path().join("opened");
    let mut profile = OsString::from("-env:UserInstallation=file://");
    profile.push(folder.path().join("profile"));
    let mut office = Command::new("soffice");
    office.arg(profile).arg("--headless").args(options).args(["--convert-to", format, "--outdir"]).arg(&out);
    run(office.args(files), "libreoffice-calc-nogui, libreoffice-writer-nogui");
    files.iter().map(|file| out.join(file.file_name().unwrap()).with_extension(format)).collect()
}

/// The criteria that WCAG 2.2 adds to those of 2.1 (Recommendation of 12 December 2024, "New Features in WCAG 2.2"), by
/// chapter. It also removes 4.1.1, which the catalogue of a draft keeps.
const OF_WCAG_2_2: [(&str, &[&str]); 3] = [
    ("success_criteria_level_a", &["3.2.6", "3.3.7"]),
    ("success_criteria_level_aa", &["2.4.11", "2.5.7", "2.5.8", "3.3.8"]),
    ("success_criteria_level_aaa", &["2.4.12", "2.4.13", "3.3.9"]),
];

/// The chapters that the catalogue of a draft has of EN 301 549 V3.2.1 and the catalogue in OpenACR's package lacks.
const OF_EN_301_549: [&str; 10] = [
    "en_301_549_documentation_and_support_services",
    "en_301_549_functional_performance",
    "en_301_549_generic_requirements",
    "en_301_549_hardware",
    "en_301_549_ict_providing_relay_or_emergency_service_access",
    "en_301_549_ict_with_two-way_voice",
    "en_301_549_ict_with_video",
    "en_301_549_non-web-documents",
    "en_301_549_software",
    "en_301_549_web",
];

/// The only version of OpenACR's package that npm has ends with the catalogue of WCAG 2.1 and Section 508. What the
/// draft's own catalogue (`2.5-edition-wcag-2.2-508-eu-en`, in OpenACR's repository since 2024) adds to it is listed
/// above.
#[test]
fn a_draft_is_valid_by_the_published_schema_of_openacr_and_uses_the_ids_of_its_catalogue() {
    let package = named("A11YCHECK_OPENACR");
    let schema = fs::read(Path::new(&package).join("schema/openacr-0.1.0.json")).unwrap();
    let schema = jsonschema::validator_for(&serde_json::from_slice(&schema).unwrap()).unwrap();
    let catalogue = Path::new(&package).join("catalog/2.4-edition-wcag-2.1-508-en.yaml");
    let catalogue = Catalogue::read(&fs::read_to_string(catalogue).unwrap());
    assert_eq!(catalogue.chapters.values().flatten().filter(|id| is_criterion(id)).count(), 78, "WCAG 2.1");
    assert_eq!(acr::CATALOG, "2.5-edition-wcag-2.2-508-eu-en", "the lists above add to another catalogue");
    let mut chapters = catalogue.chapters.clone();
    for (chapter, criteria) in OF_WCAG_2_2 {
        chapters.get_mut(chapter).unwrap().extend(criteria.iter().map(ToString::to_string));
    }
    chapters.extend(OF_EN_301_549.map(|chapter| (chapter.to_owned(), BTreeSet::new())));

    for (findings, locales) in [(ordinary(), &Locale::ALL[..]), (hostile(), &[Locale::Uk]), (clean(), &[Locale::En])] {
        for locale in locales {
            let draft = openacr(&findings, *locale);
            let errors: Vec<String> = schema.iter_errors(&draft).map(|error| error.to_string()).collect();
            assert!(errors.is_empty(), "{locale}: {errors:#?}");
            assert_eq!(draft["catalog"], acr::CATALOG);
            let written = draft["chapters"].as_object().unwrap();
            assert!(written.keys().eq(chapters.keys()), "{locale}: {:?}", written.keys());
            for (chapter, _) in OF_WCAG_2_2 {
                let mut seen = BTreeSet::new();
                for row in written[chapter]["criteria"].as_array().unwrap() {
                    let component = &row["components"][0];
                    let (name, level) = (&component["name"], &component["adherence"]["level"]);
                    assert!(catalogue.components.contains(name.as_str().unwrap()), "{locale}: {row}");
                    assert!(catalogue.terms.contains(level.as_str().unwrap()), "{locale}: {row}");
                    seen.insert(row["num"].as_str().unwrap().to_owned());
                }
                assert_eq!(seen, chapters[chapter], "{locale}: {chapter}");
            }
        }
    }
    let mut wrong = openacr(&clean(), Locale::En);
    wrong["author"].as_object_mut().unwrap().remove("email");
    assert!(!schema.is_valid(&wrong), "the schema is applied");
}

/// Returns drafts as text documents by name: one for each language, and one of a hostile site.
fn documents(folder: &TempDir) -> Vec<(Locale, PathBuf)> {
    let hostile_head = DraftHead::default().with_contact("<w:t>&amp;]]> \u{202e}{title} \"'".parse().ok());
    let hostile_options = DraftOptions::default().with_head(hostile_head).with_aaa().with_assessments(assessments());
    let plain = DraftOptions::default();
    let ordinary_ones = Locale::ALL.map(|locale| (locale, "Our shop", ordinary(), &plain));
    let all = ordinary_ones.into_iter().chain([(Locale::Uk, NAME, hostile(), &hostile_options)]);
    all.enumerate()
        .map(|(number, (locale, name, findings, options))| {
            let path = folder.path().join(format!("{number}.docx"));
            let site = site(name);
            let source = source(&site, &findings, locale).with_draft(options);
            let file = fs::File::create(&path).unwrap();
            acr::write(AcrFormat::Docx, &source, &Brand::default(), file).unwrap();
            (locale, path)
        })
        .collect()
}

/// Otherwise the person who has to complete the draft finds no field to do it in, or a screen reader no heads of its tables.
#[test]
fn a_text_document_has_its_language_headings_table_heads_and_fields() {
    let folder = TempDir::new().unwrap();
    for (number, (locale, path)) in documents(&folder).into_iter().enumerate() {
        let read = python("read_docx.py", &path);
        let (acr, is_hostile) = (&terms(locale).acr, number == Locale::ALL.len());
        assert!(read["title"].as_str().unwrap().ends_with(&acr.title), "{locale}");
        assert!(read["language"].as_str().unwrap().starts_with(locale.code()), "{locale}");
        assert_eq!(read["language"], read["language_of_text"]);
        let paragraphs = read["paragraphs"].as_array().unwrap();
        assert_eq!(paragraphs.iter().filter(|paragraph| paragraph[0] == "heading 1").count(), 1, "{locale}");
        let texts: Vec<&str> = paragraphs.iter().map(|paragraph| paragraph[1].as_str().unwrap()).collect();
        for text in [&acr.draft_note, &acr.what_decides, &acr.other_clauses, &terms(locale).disclaimer] {
            assert!(texts.contains(&text.as_str()), "{locale}: {text}");
        }
        let tables = read["tables"].as_array().unwrap();
        // The head and the standards, the levels, testing by hand, the clauses.
        assert_eq!(tables.len(), if is_hostile { 7 } else { 6 }, "{locale}");
        for table in &tables[1..] {
            let heads: Vec<bool> =
                table["rows"].as_array().unwrap().iter().map(|row| row["is_head"].as_bool().unwrap()).collect();
            assert!(heads[0] && !heads[1..].contains(&true), "{locale}: {}", table["caption"]);
        }
        let fields = read["fields"].as_array().unwrap();
        let listed = criteria().len() - if is_hostile { 0 } else { 31 };
        let open = if is_hostile { 3 } else { 4 };
        assert_eq!(fields.len(), open + listed + 50, "{locale}: open facts, criteria, clauses");
        for choice in read["choices"].as_array().unwrap() {
            assert_eq!(choice.as_array().unwrap().len(), 5, "{locale}");
        }
        assert_eq!(read["links"], serde_json::json!(["https://shop.example/"]), "{locale}");
        assert_eq!(fields.contains(&acr.contact.as_str().into()), !is_hostile, "{locale}");
    }
}

#[test]
fn libreoffice_opens_a_text_document_with_the_rows_of_the_page() {
    let folder = TempDir::new().unwrap();
    let documents = documents(&folder);
    let paths: Vec<PathBuf> = documents.iter().map(|(_, path)| path.clone()).collect();
    for ((locale, path), opened) in documents.iter().zip(converted(&folder, &paths, &[], "fodt")) {
        let (written, read) = (python("read_docx.py", path), python("read_document.py", &opened));
        let headings: Vec<&Value> = read["headings"].as_array().unwrap().iter().collect();
        let levels: Vec<u64> = headings.iter().map(|heading| heading[0].as_u64().unwrap()).collect();
        assert!(
            levels[0] == 1 && levels[1..].iter().all(|level| matches!(level, 2 | 3)) && levels.len() >= 8,
            "{levels:?}"
        );
        let (written, read) = (written["tables"].as_array().unwrap(), read["tables"].as_array().unwrap());
        assert_eq!(written.len(), read.len(), "{locale}");
        for (written, read) in written.iter().zip(read) {
            let rows = |table: &Value, cells: fn(&Value) -> &Value| -> Vec<String> {
                let rows = table["rows"].as_array().unwrap().iter();
                rows.map(|row| cells(row).as_array().unwrap().iter().map(|cell| cell.as_str().unwrap()).collect())
                    .collect()
            };
            assert_eq!(rows(read, |row| row), rows(written, |row| &row["cells"]), "{locale}: {}", written["caption"]);
            let heads = written["rows"].as_array().unwrap().iter().filter(|row| row["is_head"] == true).count();
            assert_eq!(read["head_rows"], heads, "{locale}: {}", written["caption"]);
        }
    }
}

/// The ids of a catalogue of OpenACR.
struct Catalogue {
    /// The chapters, each with its criteria.
    chapters: BTreeMap<String, BTreeSet<String>>,
    components: BTreeSet<String>,
    terms: BTreeSet<String>,
}

impl Catalogue {
    /// Reads the lists of a catalogue, in the layout in which OpenACR's own program writes them: keys of the document are
    /// not indented, chapters, components and terms by two, and criteria by six.
    fn read(text: &str) -> Self {
        let mut read = Self { chapters: BTreeMap::new(), components: BTreeSet::new(), terms: BTreeSet::new() };
        let (mut list, mut chapter) = ("", "");
        for line in text.lines() {
            if let Some(key) = line.strip_suffix(':').filter(|_| !line.starts_with([' ', '-'])) {
                list = key;
            }
            let Some((indent, id)) = line.split_once("- id:") else { continue };
            let id = id.trim().trim_matches(['\'', '"']);
            match (list, indent.len()) {
                ("chapters", 2) => {
                    chapter = id;
                    read.chapters.entry(id.to_owned()).or_default();
                }
                ("chapters", 6) => {
                    read.chapters.get_mut(chapter).unwrap().insert(id.to_owned());
                }
                ("components", 2) => drop(read.components.insert(id.to_owned())),
                ("terms", 2) => drop(read.terms.insert(id.to_owned())),
                _ => {}
            }
        }
        read
    }
}

fn openacr(findings: &Findings, locale: Locale) -> Value {
    let mut bytes = Vec::new();
    // With all that a request can ask for.
    let text = |text: &str| text.parse().ok();
    let head = DraftHead::default().with_product_version(text("2027.1")).with_evaluator(text("Jo"));
    let draft = DraftOptions::default().with_head(head.with_contact(text("+49 30 000"))).with_aaa();
    let draft = draft.with_assessments(assessments());
    let site = site(NAME);
    let source = source(&site, findings, locale).with_draft(&draft);
    acr::write(AcrFormat::Json, &source, &Brand::default(), &mut bytes).unwrap();
    serde_json::from_slice(&bytes).unwrap()
}

/// Returns what people have said about criteria, with every outcome and hostile words.
fn assessments() -> Vec<Assessment> {
    let criteria = ["1.2.1", "1.2.2", "1.2.3", "1.2.4"];
    let said = |(criterion, outcome): (&str, &AssessmentOutcome)| {
        let note = "<w:t>&amp;]]> \u{202e}{title} \"'\n\t`code`\u{1}".to_owned();
        let author = "</script>\u{202e}Jo".to_owned();
        let new =
            NewAssessment { criterion: criterion.parse().unwrap(), outcome: *outcome, note, person: None, author };
        new.at(TeamId::MIN, SiteId::MIN, checked_at() - TimeDelta::days(400))
    };
    criteria.into_iter().zip(AssessmentOutcome::KNOWN).map(said).collect()
}

/// Returns whether an id is that of a criterion, such as `1.4.13`; Section 508 has numbers such as `402.2.1`.
fn is_criterion(id: &str) -> bool {
    let mut parts = id.split('.').map(str::len);
    parts.next() == Some(1) && parts.count() == 2
}

/// Returns the output of a script of this folder for a file.
fn python(script: &str, file: &Path) -> Value {
    let mut python = Command::new("python3");
    python.env("PYTHONPATH", named("A11YCHECK_MARKDOWN_READER")).env("PYTHONDONTWRITEBYTECODE", "1");
    python.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/export").join(script)).arg(file);
    serde_json::from_slice(&run(&mut python, "python3")).unwrap()
}

/// Returns the value of a variable that `cargo xtask test` sets.
fn named(variable: &str) -> OsString {
    env::var_os(variable).unwrap_or_else(|| {
        panic!("{variable} is not set: run the tests with `cargo xtask test`, which fetches what it names")
    })
}

/// Runs a program to its end; returns its output.
fn run(command: &mut Command, package: &str) -> Vec<u8> {
    let program: &OsStr = command.get_program();
    let program = program.to_string_lossy().into_owned();
    let output = command.output().unwrap_or_else(|error| {
        panic!("{program} can't be run ({error}): install it (Debian's package: {package}), or run `cargo xtask test`")
    });
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}
