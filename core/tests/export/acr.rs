//! Drafts of conformance reports.

use std::collections::BTreeSet;

use a11ycheck_core::{
    catalog::{Level, WcagVersion, card, criteria, hand_steps, terms},
    domain::{
        Assessment, AssessmentOutcome, Colour, DraftHead, Findings, Logo, NewAssessment, PageOutcome, SiteDetails,
        StandardId,
    },
    export::{
        Brand, ExportSource,
        acr::{AcrFormat, CATALOG, DraftOptions, write},
    },
    id::{SiteId, TeamId},
    locale::Locale,
};
use chrono::TimeDelta;
use serde_json::Value;

use crate::{
    fixture::{checked_at, clean, hostile, large, ordinary, site, source},
    golden::assert_same,
};

/// The formats that are text.
const TEXTS: [AcrFormat; 2] = [AcrFormat::Json, AcrFormat::Html];

fn draft(format: AcrFormat, site: &SiteDetails, findings: &Findings, locale: Locale) -> String {
    draft_with(&DraftOptions::default(), format, site, findings, locale)
}

fn draft_with(
    options: &DraftOptions,
    format: AcrFormat,
    site: &SiteDetails,
    findings: &Findings,
    locale: Locale,
) -> String {
    let mut bytes = Vec::new();
    let source = source(site, findings, locale).with_draft(options);
    write(format, &source, &Brand::default(), &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// Returns a draft with the criteria of all levels.
fn openacr(findings: &Findings, locale: Locale) -> Value {
    let options = DraftOptions::default().with_aaa();
    serde_json::from_str(&draft_with(&options, AcrFormat::Json, &site("Our shop"), findings, locale)).unwrap()
}

#[test]
fn the_drafts_are_as_they_were() {
    for locale in Locale::ALL {
        for format in TEXTS {
            let name = format!("acr.{locale}.{}", format.as_str());
            assert_same(&name, &draft(format, &site("Our shop"), &ordinary(), locale));
        }
    }
}

/// By schema 0.1.0 and the catalogue.
#[test]
fn the_draft_has_the_structure_of_openacr() {
    for locale in Locale::ALL {
        let draft = openacr(&ordinary(), locale);
        for text in ["title", "report_date", "notes", "evaluation_methods_used", "legal_disclaimer"] {
            assert!(draft[text].as_str().is_some_and(|text| !text.is_empty()), "{text}");
        }
        assert!(draft["product"]["name"].is_string() && draft["author"]["email"].is_string());
        assert_eq!((&draft["version"], &draft["catalog"]), (&1.into(), &CATALOG.into()));

        let chapters = draft["chapters"].as_object().unwrap();
        assert_eq!(chapters.len(), 17);
        let mut seen = Vec::new();
        for (id, level, count) in [
            ("success_criteria_level_a", Level::A, 32),
            ("success_criteria_level_aa", Level::Aa, 24),
            ("success_criteria_level_aaa", Level::Aaa, 31),
        ] {
            let rows = chapters[id]["criteria"].as_array().unwrap();
            assert_eq!(rows.len(), count);
            for row in rows {
                let number = row["num"].as_str().unwrap();
                assert_eq!(a11ycheck_core::catalog::criterion(number).unwrap().level, level);
                seen.push(number.to_owned());
                let [component] = row["components"].as_array().unwrap().as_slice() else { panic!("{row}") };
                assert_eq!(component["name"], "web");
                let (term, notes) = (&component["adherence"]["level"], &component["adherence"]["notes"]);
                let known = ["supports", "partially-supports", "does-not-support", "not-evaluated"];
                assert!(known.contains(&term.as_str().unwrap()), "{term}");
                let notes = notes.as_str().unwrap();
                assert!(!notes.is_empty() && !notes.contains(['{', '}']), "{notes}");
            }
        }
        let distinct: BTreeSet<&String> = seen.iter().collect();
        assert_eq!(distinct.len(), criteria().len());
        for (id, chapter) in chapters.iter().filter(|(id, _)| !id.starts_with("success_criteria")) {
            assert!(chapter["notes"].as_str().is_some_and(|notes| !notes.is_empty()), "{id}");
            assert!(chapter.get("criteria").is_none(), "{id}");
        }
    }
}

fn row(draft: &Value, number: &str) -> (String, String) {
    let chapters = draft["chapters"].as_object().unwrap().values();
    let mut rows = chapters.filter_map(|chapter| chapter["criteria"].as_array()).flatten();
    let adherence = &rows.find(|row| row["num"] == number).unwrap()["components"][0]["adherence"];
    let text = |key: &str| adherence[key].as_str().unwrap().to_owned();
    (text("level"), text("notes"))
}

#[test]
fn nothing_is_called_supported_because_a_check_found_nothing() {
    for findings in [clean(), ordinary(), large(100, 3)] {
        let draft = openacr(&findings, Locale::En);
        for criterion in criteria().iter().filter(|criterion| criterion.dropped.is_none()) {
            assert_ne!(row(&draft, &criterion.number).0, "supports", "{}", criterion.number);
        }
        assert_eq!(row(&draft, "4.1.1").0, "supports");
    }
}

/// Returns what Jo said about a criterion so many days before the check.
fn said(criterion: &str, outcome: AssessmentOutcome, note: &str, days: i64) -> Assessment {
    let new = NewAssessment {
        criterion: criterion.parse().unwrap(),
        outcome,
        note: note.to_owned(),
        person: None,
        author: "Jo <b>".to_owned(),
    };
    new.at(TeamId::MIN, SiteId::MIN, checked_at() - TimeDelta::days(days))
}

#[test]
fn a_criterion_is_what_a_person_has_said_unless_the_check_found_failures() {
    let later = AssessmentOutcome::from_stored("with-exceptions").unwrap();
    let assessments = [
        said("3.2.1", AssessmentOutcome::Supports, "", 0),
        said("2.1.2", AssessmentOutcome::DoesNotSupport, "The menu\ncannot be left.", 366),
        said("1.2.2", AssessmentOutcome::NotApplicable, "There are no videos.", 365),
        said("2.4.4", AssessmentOutcome::Supports, "", 1),
        said("1.4.3", AssessmentOutcome::NotApplicable, "There is no text.", 2),
        said("1.1.1", AssessmentOutcome::DoesNotSupport, "Charts have none.", 3),
        said("4.1.1", AssessmentOutcome::DoesNotSupport, "Parsing is not met.", 4),
        said("2.5.1", later, "Whatever it means.", 5),
    ];
    let options = DraftOptions::default().with_aaa().with_assessments(assessments);
    let text = draft_with(&options, AcrFormat::Json, &site("Our shop"), &ordinary(), Locale::En);
    let draft: Value = serde_json::from_str(&text).unwrap();
    let day = |days| (checked_at() - TimeDelta::days(days)).format("%Y-%m-%d").to_string();
    let by_jo = |days, term| format!("Assessed by Jo <b> on {}: {term}.", day(days));
    assert_eq!(row(&draft, "3.2.1"), ("supports".to_owned(), by_jo(0, "Supports")));
    let (level, notes) = row(&draft, "2.1.2");
    assert_eq!(level, "does-not-support");
    let expected = by_jo(366, "Does not support");
    assert!(
        notes.starts_with(&format!("{expected} The menu cannot be left. The check was made more than 12")),
        "{notes}"
    );
    let (level, notes) = row(&draft, "1.2.2");
    assert_eq!(level, "not-applicable");
    assert!(notes.starts_with(&by_jo(365, "Not applicable")) && !notes.contains("12 months"), "{notes}");
    let (level, notes) = row(&draft, "2.4.4");
    assert_eq!(level, "supports");
    assert!(notes.starts_with(&by_jo(1, "Supports")) && notes.contains("could not decide about: 3."), "{notes}");
    let (level, notes) = row(&draft, "1.4.3");
    assert_eq!(level, "does-not-support");
    let outweighed = format!("{} What the check found outweighs that. There is no text.", by_jo(2, "Not applicable"));
    assert!(notes.contains(&outweighed) && notes.contains("Text with too little contrast"), "{notes}");
    let (level, notes) = row(&draft, "1.1.1");
    assert_eq!(level, "does-not-support", "the worse of both");
    assert!(notes.contains(&format!("{} Charts have none.", by_jo(3, "Does not support"))), "{notes}");
    assert_eq!(row(&draft, "4.1.1"), row(&openacr(&ordinary(), Locale::En), "4.1.1"));
    assert_eq!(row(&draft, "2.5.1"), row(&openacr(&ordinary(), Locale::En), "2.5.1"));
    let methods = draft["evaluation_methods_used"].as_str().unwrap();
    assert!(methods.ends_with("Success criteria assessed by people: 6 of 55."), "{methods}");
    assert!(!methods.contains("no evaluation by a person"), "{methods}");
}

#[test]
fn drafts_of_every_format_and_language_say_who_assessed_what_and_those_without_say_nothing_of_it() {
    let note = "Ein <i>Grund</i> & noch einer.";
    let options = DraftOptions::default().with_assessments([
        said("2.4.3", AssessmentOutcome::NotApplicable, note, 400),
        said("1.4.3", AssessmentOutcome::Supports, note, 0),
    ]);
    for locale in Locale::ALL {
        let acr = &terms(locale).acr;
        for format in TEXTS {
            let (site, findings) = (site("Our shop"), ordinary());
            let plain = draft(format, &site, &findings, locale);
            assert!(!plain.contains(acr.assessed_means.as_str()), "{locale}");
            let text = draft_with(&options, format, &site, &findings, locale);
            let shown = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&").replace("&#38;", "&");
            let shown = shown.replace("&#60;", "<").replace("&#62;", ">").replace('\u{a0}', " ");
            assert!(shown.contains(&acr.assessed_means.replace('\u{a0}', " ")), "{locale}: {shown}");
            assert!(shown.contains("Jo <b>") && shown.contains(note), "{locale}: {shown}");
            if format == AcrFormat::Html {
                assert!(!text.contains("<i>Grund"), "{locale}: what a person wrote is no markup");
                assert!(text.contains(&format!("<td>{}</td>", acr.not_applicable)), "{locale}: {text}");
            }
        }
    }
}

#[test]
fn a_row_says_what_was_found_what_ran_and_what_nobody_looked_at() {
    let draft = openacr(&ordinary(), Locale::En);
    let (level, notes) = row(&draft, "1.4.3");
    assert_eq!(level, "does-not-support");
    assert!(notes.contains("Text with too little contrast: 3 elements, "), "{notes}");
    assert!(notes.contains("Pages affected: 2 of 3. For example: "), "{notes}");
    assert!(notes.contains("https://shop.example/"), "{notes}");
    assert_eq!(row(&draft, "1.1.1").0, "partially-supports");
    let (level, notes) = row(&draft, "2.4.4");
    assert_eq!(level, "not-evaluated");
    assert!(notes.contains("could not decide about: 3.") && notes.contains("Links without a name"), "{notes}");
    let title = |rule: &str| card(rule, Locale::En).unwrap().title;
    assert!(row(&draft, "2.4.2").1.contains(title("document-title")));
    assert!(row(&draft, "2.5.8").1.contains(title("target-size")) && row(&draft, "2.5.8").1.contains("WCAG 2.2"));
    assert_eq!(row(&draft, "3.2.1"), ("not-evaluated".to_owned(), terms(Locale::En).acr.no_rule.clone()));
}

#[test]
fn a_draft_is_headed_as_one_and_names_the_pages_of_which_it_says_nothing() {
    for locale in Locale::ALL {
        for format in TEXTS {
            let draft = draft(format, &site("Our shop"), &ordinary(), locale);
            let plain = draft.replace("&quot;", "\"").replace("&#39;", "'");
            for text in [&terms(locale).acr.draft_note, &terms(locale).disclaimer] {
                assert!(plain.contains(text.as_str()), "{locale}: {text}");
            }
            assert!(plain.contains("https://shop.example/old"));
            assert!(plain.contains(&format!("{}: 2", terms(locale).label.frames_not_checked)));
        }
    }
}

#[test]
fn criteria_of_wcag_2_2_are_marked_and_no_others() {
    let draft = openacr(&clean(), Locale::En);
    for criterion in criteria() {
        let is_marked = row(&draft, &criterion.number).1.contains("New in WCAG 2.2");
        assert_eq!(is_marked, criterion.since == WcagVersion::V2_2, "{}", criterion.number);
    }
}

/// An English id in a report of another language tells an officer nothing.
#[test]
fn remarks_are_in_words_and_name_no_rule_by_its_id() {
    for locale in Locale::ALL {
        let draft = openacr(&ordinary(), locale).to_string();
        for id in ["color-contrast", "image-alt", "link-name", "document-title", "target-size", "html-has-lang"] {
            assert!(!draft.contains(id), "{locale}: {id}");
        }
        for rule in ["color-contrast", "image-alt"] {
            assert!(draft.contains(card(rule, locale).unwrap().title), "{locale}: {rule}");
        }
    }
}

#[test]
fn level_aaa_is_listed_on_request_alone() {
    for locale in Locale::ALL {
        let (site, findings) = (site("Our shop"), ordinary());
        let plain: Value = serde_json::from_str(&draft(AcrFormat::Json, &site, &findings, locale)).unwrap();
        let reason = &terms(locale).acr.aaa_left_out;
        assert_eq!(plain["chapters"]["success_criteria_level_aaa"], serde_json::json!({"notes": reason}));
        let page = |options: &DraftOptions| draft_with(options, AcrFormat::Html, &site, &findings, locale);
        let (plain, asked) = (page(&DraftOptions::default()), page(&DraftOptions::default().with_aaa()));
        assert!(!plain.contains("id=\"level-AAA\"") && plain.contains(reason.as_str()), "{locale}");
        assert!(asked.contains("id=\"level-AAA\"") && !asked.contains(reason.as_str()), "{locale}");
    }
}

#[test]
fn the_head_says_what_is_known_and_leaves_the_rest_to_be_filled_in() {
    let text = |text: &str| text.parse().ok();
    let (site, findings) = (site("Our shop"), ordinary());
    let head = DraftHead::default().with_product_version(text("2027.1")).with_contact(text("a11y@example.org"));
    let options = DraftOptions::default().with_head(head);
    let page = draft_with(&options, AcrFormat::Html, &site, &findings, Locale::En);
    for line in [
        "<dt>Product version</dt>\n<dd>2027.1</dd>",
        "<dt>Contact information</dt>\n<dd>a11y@example.org</dd>",
        "<dt>Evaluator</dt>\n<dd><em>To be filled in</em></dd>",
        "<dt>Standard</dt>\n<dd>WCAG 2.1 AA / EN 301 549 v3.2.1 (automated checks)</dd>",
    ] {
        assert!(page.contains(line), "{line}");
    }
    let read: Value =
        serde_json::from_str(&draft_with(&options, AcrFormat::Json, &site, &findings, Locale::En)).unwrap();
    assert_eq!((&read["product"]["version"], &read["author"]["email"]), (&"2027.1".into(), &"a11y@example.org".into()));
    let open = (&read["author"]["address"], &read["author"]["name"]);
    assert_eq!(open, (&"".into(), &"".into()), "whoever completes the draft fills them in");
}

/// Otherwise a vendor shows a draft for the wrong standard to a buyer.
#[test]
fn a_draft_follows_the_standard_of_its_check() {
    let site = site("Our shop");
    let page = |standard: StandardId| {
        let findings = ordinary().with_standard(standard);
        draft(AcrFormat::Html, &site, &findings, Locale::En)
    };
    let european = page(StandardId::En301549V4);
    assert!(european.contains("EN 301 549 v4.1.1, clause 9 (web)") && !european.contains("v3.2.1"), "{european}");
    assert!(european.contains("9.2.5.8 Target Size (Minimum)") && european.contains("success criteria of WCAG 2.2"));
    assert!(european.contains("See criterion 2.4.11. The number of this clause has not been confirmed"));
    assert!(!european.contains("See criterion 2.5.8. The number"));
    let wcag22 = page(StandardId::Wcag22Aa);
    assert!(
        wcag22.contains("<dd>WCAG 2.2 AA (automated checks)</dd>") && wcag22.contains("EN 301 549 v3.2.1, clause 9")
    );
    assert!(!wcag22.contains("9.2.5.8"), "v3.2.1 has no such clause");
}

#[test]
fn the_page_has_what_a_screen_reader_needs() {
    let page = draft(AcrFormat::Html, &site("Our shop"), &ordinary(), Locale::Cs);
    assert!(
        page.contains("<html lang=\"cs\">")
            && page.contains("<main id=\"content\"")
            && page.contains("href=\"#content\"")
    );
    assert_eq!(page.matches("<h1>").count(), 1);
    // Standards, levels A and AA, testing by hand, clauses.
    assert_eq!((page.matches("<table").count(), page.matches("scope=\"col\"").count()), (5, 14));
    let listed = criteria().iter().filter(|criterion| criterion.level != Level::Aaa).count();
    assert_eq!(page.matches("<tr><th scope=\"row\">").count(), 4 + listed + 50 + hand_steps().len());
}

#[test]
fn the_page_shows_the_brand_and_stays_readable_in_every_colour() {
    let page = |brand: &Brand| {
        let mut bytes = Vec::new();
        write(AcrFormat::Html, &source(&site("Our shop"), &clean(), Locale::En), brand, &mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    };
    let mut brand = Brand::new("<b>\"Müller\u{202e}".repeat(30), "#ffee00".parse().unwrap());
    let named = page(&brand);
    assert!(named.contains("<header>&lt;b&gt;&quot;Müller\u{fffd}&lt;b&gt;"), "{named}");
    assert!(named.contains("--brand: #ffee00;"));
    let ink = named.split("--ink: ").nth(1).unwrap().split(';').next().unwrap();
    assert!(ink.parse::<Colour>().unwrap().contrast(Colour::WHITE) >= 7.0, "{ink}");
    brand.logo = Logo::recognised(b"\xff\xd8\xff\xe0logo".to_vec());
    let pictured = page(&brand);
    assert!(
        pictured.contains("<header><img src=\"data:image/jpeg;base64,/9j/4GxvZ28=\" alt=\"&lt;b&gt;"),
        "{pictured}"
    );
    assert!(pictured.contains("img-src data:") && !pictured.contains("<b>"));
}

#[test]
fn the_page_of_a_hostile_site_is_as_it_was() {
    let name = " <script>'a' & \"b\"</script>\r\n\tc\u{2028}  d\u{a0}e\u{202e}f\u{7}\u{200f} ";
    let mut findings = hostile();
    findings.pages[3].url = "javascript:alert(1)//<b> \u{202e}&\u{a0}x".to_owned();
    findings.pages[2] =
        PageOutcome::failed("http://a.example/?b=\"c\"&d='e'", "", findings.pages[3].error.clone().unwrap());
    findings.engine.browser = Some(" <i>{pages}  \u{1b}[31m ".to_owned());
    let site = site(name);
    let source = ExportSource::new(name, &site, checked_at(), &findings, Locale::Ru);
    // Cut after a blank.
    let brand = Brand::new(format!("{}x Co", "<b>".repeat(26)), "#ffee00".parse().unwrap());
    let mut page = Vec::new();
    write(AcrFormat::Html, &source, &brand, &mut page).unwrap();
    assert_same("acr.hostile.html", &String::from_utf8(page).unwrap());
}

#[test]
fn nothing_in_the_page_comes_alive() {
    let name = "<script>alert(1)</script>\" onload=\"x' <img src=x onerror=y> {elements}";
    let mut findings = hostile();
    findings.pages[3].url = "javascript:alert(1)//<b>".to_owned();
    findings.engine.browser = Some("<i>{pages}".to_owned());
    let page = draft(AcrFormat::Html, &site(name), &findings, Locale::En);
    for alive in ["<script", "<img", "<b>", "<i>", "onload=\"", "href=\"javascript"] {
        assert!(!page.contains(alive), "{alive}");
    }
    // `{pages}` of the browser's name is not filled in.
    assert!(page.contains("in &lt;i&gt;{pages}. Pages checked: 3."), "{page}");
}
