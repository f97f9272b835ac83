//! The effect of a hostile page on readers of its file: none.

use a11ycheck_core::{domain::Finding, export::ExportFormat, locale::Locale};
use pulldown_cmark::{Event, LinkType, Options, Parser, Tag};
use serde_json::Value;

use crate::fixture::{exported, hostile, site};

const NAME: &str = "=1 <img src=x onerror=alert(1)> [a](javascript:b) @team #1 `";

#[test]
fn json_keeps_every_text_as_it_was() {
    let file: Value = serde_json::from_str(&exported(ExportFormat::Json, &site(NAME), &hostile(), Locale::En)).unwrap();
    let issues = file["rules"][0]["issues"].as_array().unwrap();
    assert_eq!(file["site"]["name"], NAME);
    for (issue, finding) in issues.iter().zip(hostile().items) {
        assert_eq!((&issue["selector"], &issue["html"]), (&finding.selector.into(), &finding.html.into()));
    }
}

#[test]
fn no_text_is_longer_than_the_domain_allows() {
    for finding in hostile().items {
        assert!(finding.selector.chars().count() <= Finding::MAX_SELECTOR);
        assert!(finding.html.chars().count() <= Finding::MAX_HTML);
    }
}

/// Returns the cells as a spreadsheet that splits at `separator` sees them.
fn cells(text: &str, separator: u8) -> Vec<String> {
    let mut reader =
        csv::ReaderBuilder::new().delimiter(separator).has_headers(false).flexible(true).from_reader(text.as_bytes());
    reader.records().flat_map(|row| row.unwrap().iter().map(str::to_owned).collect::<Vec<_>>()).collect()
}

#[test]
fn no_cell_is_a_formula_whatever_the_spreadsheet_splits_at() {
    for format in [ExportFormat::Csv, ExportFormat::Jira] {
        let file = exported(format, &site(NAME), &hostile(), Locale::En);
        let text = file.trim_start_matches('\u{feff}');
        for separator in *b",;\t" {
            for cell in cells(text, separator) {
                assert!(
                    !cell.starts_with(['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠']),
                    "{format}: {cell:?}"
                );
            }
        }
        // Apart from quotes, line ends and tabs, nothing that has an effect when the file is shown.
        assert!(!text.chars().any(|char| char.is_control() && !matches!(char, '\r' | '\n' | '\t')), "{format}");
    }
}

#[test]
fn csv_keeps_its_rows() {
    let file = exported(ExportFormat::Csv, &site(NAME), &hostile(), Locale::En);
    let mut reader = csv::Reader::from_reader(file.trim_start_matches('\u{feff}').as_bytes());
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), hostile().items.len());
    for (row, finding) in rows.iter().zip(hostile().items) {
        let plain = |text: &str| text.replace(['\'', '\u{fffd}'], "");
        let wanted = finding.html.replace(|char: char| char.is_control() && !char.is_whitespace(), "");
        let wanted = wanted.replace(['\u{202e}', '\u{2066}'], "");
        assert_eq!(plain(&row[7]), plain(&wanted));
    }
}

#[test]
fn github_shows_an_item_per_element_and_nothing_else_comes_alive() {
    let file = exported(ExportFormat::Github, &site(NAME), &hostile(), Locale::En);
    let options = Options::ENABLE_TASKLISTS
        | Options::ENABLE_GFM
        | Options::ENABLE_TABLES
        | Options::ENABLE_MATH
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_FOOTNOTES;
    let mut headings = 0;
    let mut items = 0;
    for event in Parser::new_ext(&file, options) {
        match event {
            Event::Start(Tag::Heading { .. }) => headings += 1,
            Event::TaskListMarker(_) => items += 1,
            Event::Start(Tag::Link { link_type, dest_url, .. }) => {
                assert_eq!(link_type, LinkType::Autolink);
                assert!(
                    dest_url.starts_with("https://shop.example/") || dest_url.starts_with("https://rules.example/")
                );
            }
            Event::Html(_)
            | Event::InlineHtml(_)
            | Event::Start(Tag::Image { .. } | Tag::Table(_))
            | Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::FootnoteReference(_) => panic!("{event:?}"),
            _ => {}
        }
    }
    assert_eq!((headings, items), (2, hostile().items.len()));
    // A mention or a reference outside code contains a zero-width space.
    assert!(file.contains("\\@\u{200b}team \\#\u{200b}1"), "{file}");
}

#[test]
fn jiras_blocks_close_where_we_close_them() {
    let file = exported(ExportFormat::Jira, &site(NAME), &hostile(), Locale::En);
    let row = csv::Reader::from_reader(file.as_bytes()).records().next().unwrap().unwrap();
    // Those of the example, of the elements that stand for places, and of the page, each with a beginning and an end: lines of
    // their own, but for the first, which follows its heading.
    let (fences, lines) =
        (row[3].matches("{noformat}").count(), row[3].lines().filter(|line| *line == "{noformat}").count());
    assert_eq!((fences % 2, lines), (0, fences - 1), "{}", &row[3]);
    assert!(fences > 4 && row[3].encode_utf16().count() <= 32_767, "{fences}");
    let listed = row[3].rsplit("{noformat}\n").nth(1).unwrap();
    assert_eq!(listed.lines().count(), hostile().items.len(), "{listed}");
}
