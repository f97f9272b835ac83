//! The draft of a conformance report as a PDF file.

use a11ycheck_core::{
    catalog::{Level, fill, hand_steps, terms},
    domain::{AssessmentOutcome, Failure, FailureCode, Findings, Logo, NewAssessment, PageOutcome},
    export::{
        Brand,
        acr::{DraftOptions, verdicts},
        pdf::{DraftSource, render_draft},
    },
    id::{SiteId, TeamId},
    locale::Locale,
};

use crate::{
    content::assert_golden,
    fixture::{self, clean, large, ordinary, site, source},
    sample::picture,
    tools::{Folder, assert_read_as_drawn, bookmarks, information, structure, text_as_read, unpacked},
};

/// A draft to make a file from.
pub(crate) struct Draft {
    pub(crate) name: &'static str,
    pub(crate) findings: Findings,
    pub(crate) locale: Locale,
    pub(crate) brand: Brand,
    pub(crate) generated_by: Option<&'static str>,
}

impl Draft {
    fn new(locale: Locale, findings: Findings) -> Self {
        let (brand, generated_by) = (Brand::default(), Some("a11ycheck 0.1.0"));
        Self { name: "Our shop", findings, locale, brand, generated_by }
    }

    pub(crate) fn render(&self) -> Vec<u8> {
        let site = site(self.name);
        let export = &source(&site, &self.findings, self.locale);
        render_draft(&DraftSource::new(export, &self.brand).with_generated_by(self.generated_by)).unwrap()
    }
}

/// Returns all kinds of drafts, by name.
pub(crate) fn drafts() -> Vec<(String, Draft)> {
    let mut drafts: Vec<(String, Draft)> =
        Locale::ALL.iter().map(|locale| (format!("draft-{locale}"), Draft::new(*locale, ordinary()))).collect();
    drafts.push(("draft-clean".to_owned(), Draft::new(Locale::Pl, clean())));
    let mut large = large(900, 900);
    for page in large.pages.iter_mut().take(700) {
        page.error = Some(Failure::new(FailureCode::Timeout, "The page was not ready in time."));
    }
    drafts.push(("draft-large".to_owned(), Draft::new(Locale::De, large)));
    drafts.push(("draft-hostile".to_owned(), hostile()));
    drafts
}

fn hostile() -> Draft {
    let mut findings = fixture::hostile();
    let texts = ["javascript:alert(1)//<b>", ") Tj ET EMC endstream (\\(", "\u{202E}gpj.exe שלום 🦄", "м", ""];
    findings.pages.extend(texts.iter().map(|text| {
        let failure = Failure::new(FailureCode::Dns, *text);
        PageOutcome::failed(text.repeat(3_000), text, failure)
    }));
    findings.engine.browser = Some(format!("<i>{{pages}}\u{0}\u{202E}{}", "x".repeat(100_000)));
    let mut draft = Draft::new(Locale::Uk, findings);
    draft.name = "</script>=HYPERLINK(\"x\") ``` \u{202E}\u{1}<</MCID 0>> BDC שלום 🦄";
    draft.brand.name = "\u{0}(\\".to_owned();
    draft
}

#[test]
fn every_language_has_its_words_in_the_drafts_structure() {
    let folder = Folder::new();
    for locale in Locale::ALL {
        let file = folder.add(locale.code(), &Draft::new(locale, ordinary()).render());
        assert_golden(&format!("draft.{locale}"), &file);
    }
}

#[test]
fn the_draft_says_of_every_criterion_what_the_other_formats_say() {
    let folder = Folder::new();
    for locale in Locale::ALL {
        let findings = ordinary();
        let tree = structure(&folder.add(locale.code(), &Draft::new(locale, ordinary()).render()));
        let flat = tree.split_whitespace().filter(|word| *word != "\"").collect::<Vec<_>>().join(" ");
        let acr = &terms(locale).acr;
        let web_chapter = fill(&acr.web_chapter, &[("wcag", "2.1")]);
        for text in [&acr.draft_note, &terms(locale).disclaimer, &acr.other_clauses, &acr.what_decides, &web_chapter] {
            // In a PDF, a no-break space is a space at which no line ends.
            assert!(flat.contains(&text.replace('\u{A0}', " ")), "{locale}: {text}");
        }
        let rows: Vec<&str> = flat.split("TH (block)").collect();
        for verdict in verdicts(&findings).iter().filter(|verdict| verdict.criterion.level != Level::Aaa) {
            let name =
                format!("\"{} {}\"", verdict.criterion.number, verdict.criterion.name(locale)).replace('\u{A0}', " ");
            let row = rows.iter().find(|row| row.contains(&name)).unwrap_or_else(|| panic!("{locale}: {name}"));
            assert!(row.contains(&verdict.conformance.name(acr).replace('\u{A0}', " ")), "{locale}: {row}");
        }
    }
}

#[test]
fn a_draft_says_who_assessed_what_and_how_much_does_not_apply() {
    let folder = Folder::new();
    let (site, findings, brand) = (site("Our shop"), ordinary(), Brand::default());
    for locale in Locale::ALL {
        let new = NewAssessment {
            criterion: "1.2.2".parse().unwrap(),
            outcome: AssessmentOutcome::NotApplicable,
            note: "There are no videos.".to_owned(),
            person: None,
            author: "Jo".to_owned(),
        };
        let said = new.at(TeamId::MIN, SiteId::MIN, fixture::checked_at());
        let options = DraftOptions::default().with_assessments([said]);
        let export = &source(&site, &findings, locale).with_draft(&options);
        let file = folder.add(locale.code(), &render_draft(&DraftSource::new(export, &brand)).unwrap());
        let tree = structure(&file);
        let flat = tree.split_whitespace().filter(|word| *word != "\"").collect::<Vec<_>>().join(" ");
        let acr = &terms(locale).acr;
        let values = [
            ("name", "Jo"),
            ("date", &*fixture::checked_at().format("%Y-%m-%d").to_string()),
            ("term", &acr.not_applicable),
        ];
        for text in [&acr.assessed_means, &fill(&acr.assessed, &values)] {
            assert!(flat.contains(&text.replace('\u{A0}', " ")), "{locale}: {text}: {flat}");
        }
        assert!(flat.contains("There are no videos."), "{locale}: {flat}");
        // The count, and the criterion with its clause.
        assert_eq!(unpacked(&file).matches("/Scope /Row").count(), 56 + 50 + 11 + 4 + 5 + 3 + hand_steps().len());
    }
}

#[test]
fn the_parts_of_a_draft_are_bookmarks() {
    let folder = Folder::new();
    let file = folder.add("en", &Draft::new(Locale::En, ordinary()).render());
    let expected = [
        "Overview",
        "Contents",
        "Not checked",
        "How conformance was determined",
        "Success criteria, level A",
        "Success criteria, level AA",
        "To work through by hand",
        "What no program tests, and how to test it in an hour",
        "EN 301 549 v3.2.1, clause 9 (web)",
    ];
    assert_eq!(bookmarks(&file), expected);
    assert_eq!(
        unpacked(&file).matches("/Scope /Row").count(),
        56 + 50 + 11 + 4 + 4 + 3 + hand_steps().len(),
        "each row has its head"
    );
    let title = "Title:           Accessibility conformance report (automated draft): Our shop";
    assert!(information(&file).contains(title));
}

#[test]
fn a_draft_of_a_check_without_gaps_has_no_list_of_them() {
    let folder = Folder::new();
    let mut findings = clean();
    findings.pages.retain(|page| page.error.is_none());
    let file = folder.add("en", &Draft::new(Locale::En, findings).render());
    assert!(!bookmarks(&file).contains(&"Not checked".to_owned()));
}

#[test]
fn a_white_label_draft_carries_the_brand() {
    let folder = Folder::new();
    let mut draft = Draft::new(Locale::De, ordinary());
    draft.brand = Brand::new("Agentur Müller & Söhne", "#ffcc00".parse().unwrap());
    draft.generated_by = None;
    let file = folder.add("named", &draft.render());
    assert!(!text_as_read(&file).contains("a11ycheck") && !unpacked(&file).contains("a11ycheck"));
    assert!(structure(&file).contains("\"Agentur Müller & Söhne\""));
    assert!(information(&file).contains("Author:          Agentur Müller & Söhne"));
    draft.brand.logo = Logo::recognised(picture(200, 60));
    let with_logo = structure(&folder.add("logo", &draft.render()));
    assert!(with_logo.contains("Figure") && !structure(&file).contains("Figure"));
}

#[test]
fn the_same_check_gives_the_same_draft_byte_by_byte() {
    let draft = Draft::new(Locale::Cs, ordinary());
    assert!(draft.render() == draft.render());
}

#[test]
fn nothing_in_a_hostile_draft_comes_alive_and_it_stays_small() {
    let pdf = hostile().render();
    assert!(pdf.len() < 300_000, "{}", pdf.len());
    let folder = Folder::new();
    let file = folder.add("hostile", &pdf);
    let links: Vec<String> =
        unpacked(&file).lines().filter(|line| line.contains("/URI (")).map(str::to_owned).collect();
    assert!(!links.is_empty() && links.iter().all(|link| link.contains("(https://shop.example/")), "{links:?}");
    let text = structure(&file);
    assert!(text.contains("endstream (\\(") && text.contains("=HYPERLINK("));
    assert!(!text.contains('\u{202E}') && !text.contains('🦄'));
}

#[test]
fn what_is_read_of_a_draft_comes_in_the_order_of_the_page() {
    let folder = Folder::new();
    for (name, draft) in drafts().iter().filter(|(name, _)| name != "draft-hostile") {
        assert_read_as_drawn(name, &folder.add(name, &draft.render()));
    }
}
