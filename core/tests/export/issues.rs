//! The content of each format for an ordinary check.

use a11ycheck_core::{
    catalog::{describe, terms},
    domain::{Cover, CoverKind, Findings, RuleId},
    export::{Artifact, ExportFormat, FORMAT_LABEL},
    locale::Locale,
};
use indexmap::IndexMap;
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use serde::Deserialize;
use serde_json::Value;

use crate::{
    fixture::{checked_at, clean, exported, large, ordinary, site, source},
    golden::assert_same,
};

#[test]
fn the_files_are_as_they_were() {
    for locale in Locale::ALL {
        for (format, extension) in [
            (ExportFormat::Json, "json"),
            (ExportFormat::Csv, "csv"),
            (ExportFormat::Github, "md"),
            (ExportFormat::Jira, "jira.csv"),
        ] {
            let file = exported(format, &site("Our shop"), &ordinary(), locale);
            assert_same(&format!("issues.{locale}.{extension}"), &file);
        }
    }
}

#[test]
fn every_file_carries_the_disclaimer_in_its_language() {
    for locale in Locale::ALL {
        // Markdown and Jira have no no-break spaces.
        let disclaimer = terms(locale).disclaimer.replace('\u{A0}', " ");
        for format in ExportFormat::ALL {
            for findings in [ordinary(), clean()] {
                let file = exported(format, &site("Our shop"), &findings, locale).replace('\u{A0}', " ");
                let wanted = match format {
                    // It has a row per element: the disclaimer is in the name of the file, and in a header of the response.
                    ExportFormat::Csv => false,
                    // It has a row per problem rule: without one, the file says nothing that could mislead.
                    ExportFormat::Jira => !findings.items.is_empty(),
                    _ => true,
                };
                assert_eq!(file.contains(&disclaimer), wanted, "{format} {locale}: {file}");
            }
        }
    }
}

/// JSON with its fields in the order in which they were written; a map of `serde_json` sorts them.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Ordered {
    Object(IndexMap<String, Self>),
    Array(Vec<Self>),
    Other(Value),
}

impl Ordered {
    fn at(&self, field: &str) -> &Self {
        let Self::Object(fields) = self else { panic!("{self:?} has no fields") };
        &fields[field]
    }

    fn first(&self) -> &Self {
        let Self::Array(items) = self else { panic!("{self:?} has no items") };
        &items[0]
    }

    fn keys(&self) -> String {
        let Self::Object(fields) = self else { panic!("{self:?} has no fields") };
        fields.keys().map(String::as_str).collect::<Vec<_>>().join(" ")
    }
}

#[test]
fn json_has_the_keys_of_the_contract_in_its_order() {
    let file: Ordered =
        serde_json::from_str(&exported(ExportFormat::Json, &site("Our shop"), &ordinary(), Locale::En)).unwrap();
    assert_eq!(
        file.keys(),
        "format disclaimer generated_by site checked_at pages_checked standard engine language rules pages needs_review \
         standard_id"
    );
    assert_eq!(
        (file.at("pages").first().keys(), file.at("needs_review").first().keys()),
        (
            "url title issues left_out error frames_not_checked_count frames_not_checked still_changing unanswered linked_from cover".to_owned(),
            "rule title count".to_owned()
        )
    );
    assert_eq!(
        (file.at("site").keys(), file.at("engine").keys()),
        ("name url".to_owned(), "axe name version browser a11ycheck".to_owned())
    );
    assert!(matches!(file.at("format"), Ordered::Other(label) if *label == FORMAT_LABEL), "{:?}", file.at("format"));
    assert_eq!(
        file.at("rules").first().keys(),
        "rule type severity title summary how_to_fix platform_tip wcag en301549 count pages issues left_out \
         section508 trusted_tester rgaa"
    );
    assert_eq!(
        file.at("rules").first().at("issues").first().keys(),
        "page selector html failure_summary is_new opened_by"
    );
}

#[test]
fn json_says_of_each_page_what_was_left_unchecked_in_the_language_of_the_file() {
    let mut findings = ordinary();
    findings.pages[0].cover = Some(Cover::new(CoverKind::Consent, 85));
    for locale in Locale::ALL {
        let file = exported(ExportFormat::Json, &site("Our shop"), &findings, locale);
        let file: Value = serde_json::from_str(&file).unwrap();
        let cover = &file["pages"][0]["cover"];
        assert_eq!((&cover["kind"], &cover["percent"]), (&"consent".into(), &85.into()));
        assert!(cover["message"].as_str().unwrap().contains("85"), "{locale}");
        assert_eq!(file["pages"][1]["frames_not_checked_count"], 2);
        let error = &file["pages"][3]["error"];
        assert_eq!(error["code"], "http_status");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains("404"), "{locale}: {message}");
        assert_eq!(message.starts_with("The web"), locale == Locale::En, "{locale}: {message}");
        let title = describe(&RuleId::new("link-name"), &findings.rules[&RuleId::new("link-name")], locale).title;
        assert_eq!(file["needs_review"], serde_json::json!([{"rule": "link-name", "title": title, "count": 3}]));
    }
}

#[test]
fn json_names_pages_that_were_checked_before_they_were_complete() {
    let mut findings = ordinary();
    findings.pages[1].still_changing = true;
    let page = findings.pages.remove(2).without_answers_of(&["https://tracker.example/?token=1"]);
    findings.pages.insert(2, page);
    let file: Value =
        serde_json::from_str(&exported(ExportFormat::Json, &site("Our shop"), &findings, Locale::En)).unwrap();
    let state = |page: usize| (&file["pages"][page]["still_changing"], &file["pages"][page]["unanswered"]);
    assert_eq!(state(0), (&false.into(), &serde_json::json!([])));
    assert_eq!(state(1), (&true.into(), &serde_json::json!([])));
    assert_eq!(state(2), (&false.into(), &serde_json::json!(["https://tracker.example/?token=***"])));
}

#[test]
fn json_and_csv_add_recommendations_and_the_trackers_get_problems_only() {
    let file = |format| exported(format, &site("Our shop"), &ordinary(), Locale::En);
    for (format, has_recommendations) in [
        (ExportFormat::Json, true),
        (ExportFormat::Csv, true),
        (ExportFormat::Github, false),
        (ExportFormat::Jira, false),
    ] {
        assert_eq!(file(format).contains("region"), has_recommendations, "{format}");
        assert!(file(format).contains("kind-page"), "{format}");
    }
}

#[test]
fn csv_has_a_row_per_element_and_excel_reads_its_letters() {
    let file = exported(ExportFormat::Csv, &site("Our shop"), &ordinary(), Locale::En);
    let text = file.strip_prefix('\u{feff}').unwrap();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    assert_eq!(
        reader.headers().unwrap().iter().collect::<Vec<_>>().join(","),
        "rule,type,severity,wcag,title,page_url,selector,html,failure_summary,new_since_previous_check"
    );
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), ordinary().items.len(), "a row per element and nothing else");
    assert_eq!(rows.iter().filter(|row| &row[9] == "yes").count(), 2);
    for row in &rows {
        assert!(!row[0].is_empty() && !row[2].is_empty() && matches!(&row[1], "problem" | "recommendation"), "{row:?}");
    }
    let name = Artifact::Issues(ExportFormat::Csv).file_name(&site("Our shop"), checked_at(), Locale::En);
    assert!(name.ends_with("-automated-check-no-audit.csv"), "the name says what it is: {name}");
}

/// Returns the sections of a Markdown file, each with its heading and the number of items in its checklist.
fn sections(markdown: &str) -> Vec<(String, usize)> {
    let mut sections = Vec::new();
    let mut heading = None;
    for event in Parser::new_ext(markdown, Options::ENABLE_TASKLISTS | Options::ENABLE_GFM) {
        match event {
            Event::Start(Tag::Heading { level: HeadingLevel::H2, .. }) => heading = Some(String::new()),
            Event::End(TagEnd::Heading(HeadingLevel::H2)) => sections.push((heading.take().unwrap(), 0)),
            Event::Text(text) | Event::Code(text) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&text);
                }
            }
            Event::TaskListMarker(done) => {
                assert!(!done);
                sections.last_mut().unwrap().1 += 1;
            }
            Event::Html(html) | Event::InlineHtml(html) => panic!("HTML in Markdown: {html}"),
            _ => {}
        }
    }
    sections
}

#[test]
fn github_has_a_section_per_problem_rule_and_an_item_per_element() {
    let file = exported(ExportFormat::Github, &site("Our shop"), &ordinary(), Locale::En);
    let sections = sections(&file);
    let counts: Vec<usize> = sections.iter().map(|(_, items)| *items).collect();
    assert_eq!(counts, [3, 1, 1]);
    // It is less severe, and on two pages.
    assert_eq!(sections[0].0, "[serious] Text with too little contrast (color-contrast)");
    assert_eq!(sections[1].0, "[critical] Images without a text alternative (image-alt)");
    assert!(file.starts_with("# Our shop\n\n> "), "{file}");
    assert!(file.contains("\nLabels: accessibility, a11y:serious, axe:color-contrast\n"), "{file}");
}

#[test]
fn tickets_name_the_places_to_fix_with_what_was_measured() {
    let mut findings = ordinary();
    for finding in findings.items.iter_mut().filter(|finding| finding.rule.as_str() == "color-contrast") {
        finding.failure_summary = "Fix any of the following:\n  Element has insufficient color contrast of 3.9 (foreground color: \
            #73879c, background color: #ffffff, font size: 9.8pt (13px), font weight: normal). Expected contrast ratio of 4.5:1"
            .to_owned();
    }
    let github = exported(ExportFormat::Github, &site("Our shop"), &findings, Locale::En);
    let section = "**1 place to fix · 3 elements:**\n\n* `#73879c / #ffffff, 3.9:1 (≥ 4.5:1)`: 3 elements, 2 pages\n\n  \
        ```html\n  <span class=\"price\">5 ₴</span>\n  ```\n\n- [ ] ";
    assert!(github.contains(section), "{github}");
    let jira = exported(ExportFormat::Jira, &site("Our shop"), &findings, Locale::De);
    let cell = "*Stellen:* 1 Stelle zu ändern\n\n* \\#73879c / #ffffff, 3.9:1 (≥ 4.5:1): 3 Elemente, 2 Seiten\n\
        {noformat}\n<span class=\"\"price\"\">5 ₴</span>\n{noformat}\n\n[https://shop.example/]\n";
    assert!(jira.contains(cell), "{jira}");
}

/// Findings with the longest source and selector that a page can make of them.
fn with_long_texts() -> Findings {
    let mut findings = large(20_000, 9);
    for (number, finding) in findings.items.iter_mut().enumerate() {
        finding.selector = format!("main > div:nth-child({number}) > {}", "`{".repeat(2_000));
        finding.html = format!("<p class=\"{}\">", "`{".repeat(2_000));
    }
    findings
}

#[test]
fn a_ticket_lists_fifty_elements_and_says_where_the_rest_is() {
    const REST: &str = "https://a11y.example/v1/scans/scan_1/export?format=csv";
    let findings = large(381, 35);
    let file = |format: ExportFormat, rest: Option<&'static str>| {
        let (site, mut bytes) = (site("Our shop"), Vec::new());
        let source = source(&site, &findings, Locale::De).with_rest(rest);
        a11ycheck_core::export::write(format, &source, &mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    };
    let github = file(ExportFormat::Github, Some(REST));
    assert_eq!(sections(&github)[0].1, 50);
    let line = format!("\nWeitere Elemente: 331 · Vollständige Liste: <{REST}>\n\nLabels: ");
    assert!(github.contains(&line), "{github}");
    let jira = file(ExportFormat::Jira, Some(REST));
    assert_eq!(jira.lines().filter(|line| line.starts_with("main > div")).count(), 50);
    let line = format!("\nWeitere Elemente: 331 · Vollständige Liste: [{REST}]\n\nStandard: ");
    assert!(jira.contains(&line), "{jira}");
    for format in [ExportFormat::Github, ExportFormat::Jira] {
        let file = file(format, None);
        assert!(file.contains("\nWeitere Elemente: 331\n") && !file.contains("Vollständige Liste"), "{file}");
    }
    let csv = file(ExportFormat::Csv, Some(REST));
    assert!(csv.matches("main > div").count() == 381 && !csv.contains(REST), "the rest itself is whole");
}

#[test]
fn a_ticket_shows_at_most_three_hundred_characters_of_an_element() {
    let mut findings = ordinary();
    let html = format!("<p style=\"color: #aaa\"\n   title=\"{}\">", "Ціна ".repeat(200));
    for finding in &mut findings.items {
        finding.html.clone_from(&html);
    }
    for format in [ExportFormat::Github, ExportFormat::Jira] {
        let file = exported(format, &site("Our shop"), &findings, Locale::En).replace("\"\"", "\"");
        let line = file.lines().find(|line| line.trim_start().starts_with("<p style=\"color: #aaa\" title=\"Ціна"));
        let line = line.unwrap().trim();
        assert!(line.ends_with('…') && (290..=300).contains(&line.chars().count()), "{line}");
    }
}

#[test]
fn a_section_fits_into_an_issue_and_counts_what_it_leaves_out() {
    let file = exported(ExportFormat::Github, &site("Our shop"), &with_long_texts(), Locale::Uk);
    let section = file.split_once("\n## ").unwrap().1;
    let units = section.encode_utf16().count() + 3;
    assert!((61_000..=65_536).contains(&units), "{units}");
    let listed = sections(&file)[0].1;
    let further = a11ycheck_core::catalog::fill(
        &terms(Locale::Uk).label.further_elements,
        &[("n", &(20_000 - listed).to_string())],
    );
    assert!(section.contains(&further) && (5..50).contains(&listed), "{listed}");
    assert!(section.contains("\nLabels: accessibility, "));
}

fn jira(findings: &Findings, locale: Locale) -> Vec<csv::StringRecord> {
    let file = exported(ExportFormat::Jira, &site("Our shop"), findings, locale);
    let mut reader = csv::Reader::from_reader(file.as_bytes());
    assert_eq!(
        reader.headers().unwrap().iter().collect::<Vec<_>>(),
        ["Summary", "Issue Type", "Priority", "Description", "Labels", "Labels", "Labels"]
    );
    reader.records().map(Result::unwrap).collect()
}

#[test]
fn jira_gets_an_issue_per_problem_rule_with_priority_and_labels() {
    let rows = jira(&ordinary(), Locale::En);
    let seen: Vec<[&str; 3]> = rows.iter().map(|row| [&row[0], &row[1], &row[2]]).collect();
    // The severity is not in the summary: the priority says it.
    assert_eq!(seen[1], ["Images without a text alternative (image-alt)", "Bug", "Highest"]);
    // A column for each label, as in the files that Jira exports: cells are not split.
    assert_eq!([&rows[1][4], &rows[1][5], &rows[1][6]], ["accessibility", "a11y:critical", "axe:image-alt"]);
    assert_eq!(seen.iter().map(|row| row[2]).collect::<Vec<_>>(), ["High", "Highest", "Low"]);
    for row in &rows {
        assert!(row[3].ends_with(&format!("_{}_", terms(Locale::En).disclaimer)), "{}", &row[3]);
        let mut labels = (4..7).map(|column| &row[column]);
        assert!(labels.all(|label| !label.is_empty() && !label.contains([' ', ','])), "{row:?}");
    }
}

#[test]
fn a_description_fits_into_jira_and_counts_what_it_leaves_out() {
    let row = jira(&with_long_texts(), Locale::Uk).remove(0);
    let units = row[3].encode_utf16().count();
    assert!((26_000..=32_767).contains(&units), "{units}");
    let listed = row[3].lines().filter(|line| line.starts_with("main > div")).count();
    let further = a11ycheck_core::catalog::fill(
        &terms(Locale::Uk).label.further_elements,
        &[("n", &(20_000 - listed).to_string())],
    );
    assert!(row[3].contains(&further) && listed < 50, "{listed}");
    assert_eq!(row[3].matches("{noformat}").count() % 2, 0);
}

#[test]
fn a_check_without_problems_says_so_and_promises_nothing() {
    let file = exported(ExportFormat::Github, &site("Our shop"), &clean(), Locale::En);
    assert!(file.contains("does not mean that the site is free of barriers"), "{file}");
    assert!(jira(&clean(), Locale::En).is_empty());
}
