//! The content of a file.

use std::{env, fs, path::Path};

use a11ycheck_core::{
    catalog::{Review, terms},
    domain::{Cover, CoverKind, Failure, FailureCode, Logo, UncheckedFrame},
    export::pdf::Detail,
    locale::Locale,
    report::{CoverView, PageView},
};

use crate::{
    USUAL,
    sample::{Sample, Size, picture},
    tools::{Folder, bookmarks, information, structure, text_as_read, unpacked},
};

/// Compares the structure and its text, as a screen reader gets them, with a golden file. After an intended change, write
/// the files again with `A11YCHECK_UPDATE_GOLDEN=1`, and look at the difference and at the pages.
pub(crate) fn assert_golden(name: &str, file: &Path) {
    // Poppler names objects by their numbers, which mean nothing.
    let tree = structure(file);
    let tree: String =
        tree.lines().filter(|line| !line.trim().starts_with("Object ")).map(|line| format!("{line}\n")).collect();
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/pdf/golden/{name}.txt"));
    if env::var_os("A11YCHECK_UPDATE_GOLDEN").is_some() {
        fs::write(&golden, &tree).unwrap();
    }
    let expected = fs::read_to_string(&golden).unwrap_or_default();
    let differs = tree.lines().zip(expected.lines()).enumerate().find(|(_, (now, before))| now != before);
    assert_eq!(differs, None, "{name}");
    assert_eq!(tree.lines().count(), expected.lines().count(), "{name}");
}

#[test]
fn every_language_has_its_words_in_the_structure() {
    let folder = Folder::new();
    for locale in Locale::ALL {
        let sample = Sample::new(locale, Size { pages: 2, rules: 2, elements: 2, screenshots: 1 });
        assert_golden(locale.code(), &folder.add(locale.code(), &sample.render().unwrap()));
    }
}

#[test]
fn the_disclaimer_stands_in_every_language() {
    let folder = Folder::new();
    for locale in Locale::ALL {
        let tree = structure(&folder.add(locale.code(), &Sample::new(locale, USUAL).render().unwrap()));
        let flat = tree.split_whitespace().collect::<Vec<_>>().join(" ");
        // In a PDF, a no-break space is a space at which no line ends.
        let disclaimer = terms(locale).disclaimer.replace('\u{A0}', " ");
        assert_eq!(flat.matches(&disclaimer).count(), 2, "{locale}: on the first page and at the end");
    }
}

#[test]
fn a_language_that_was_reviewed_says_by_whom_and_when_and_is_called_no_draft_in_every_language() {
    let folder = Folder::new();
    for locale in Locale::ALL {
        let mut sample = Sample::new(locale, USUAL);
        let review = Review::new("Anna <Müller> & Söhne", "2026-11-20".parse().unwrap()).unwrap();
        sample.report = sample.report.with_review(review.clone());
        let tree = structure(&folder.add(locale.code(), &sample.render().unwrap()));
        let flat = tree.split_whitespace().collect::<Vec<_>>().join(" ");
        let line = terms(locale).reviewed(&review).replace('\u{A0}', " ");
        assert!(line.contains("Anna <Müller> & Söhne") && line.contains("2026-11-20"), "{locale}: {line}");
        assert!(flat.contains(&line), "{locale}: {line}");
        assert!(!flat.contains(&terms(locale).label.machine_draft.replace('\u{A0}', " ")), "{locale}");
    }
}

#[test]
fn frames_that_were_not_checked_are_counted_and_the_first_named_in_every_language() {
    let folder = Folder::new();
    for locale in Locale::ALL {
        let mut sample = Sample::new(locale, Size { pages: 2, rules: 1, elements: 1, screenshots: 0 });
        let page = &mut sample.report.pages[0];
        page.frames_not_checked_count = 21;
        let frame = |number| UncheckedFrame::new(&format!("https://ads.example/{number}"), FailureCode::Timeout);
        page.frames_not_checked = (0..20).map(frame).collect();
        let tree = structure(&folder.add(locale.code(), &sample.render().unwrap()));
        let flat = tree.split_whitespace().collect::<String>();
        let words = terms(locale);
        let of = |text: &str| text.split_whitespace().collect::<String>();
        let named = |number| of(&format!("https://ads.example/{number}: {}", words.code(FailureCode::Timeout)));
        assert!(flat.contains(&of(&format!("{}: 21", words.label.frames_not_checked))), "{locale}");
        assert!(flat.contains(&named(0)) && flat.contains(&named(2)) && !flat.contains(&named(3)), "{locale}: {flat}");
    }
}

#[test]
fn dead_links_are_counted_apart_and_told_with_the_page_that_leads_to_them_in_every_language() {
    let folder = Folder::new();
    for locale in Locale::ALL {
        let mut sample = Sample::new(locale, Size { pages: 3, rules: 1, elements: 1, screenshots: 0 });
        let mut gone = PageView::checked("https://shop.example/gone", "");
        gone.error = Some(Failure::new(FailureCode::HttpStatus, "The web server answered with error status 404."));
        gone.linked_from = Some("https://shop.example/about/".to_owned());
        sample.report.pages.push(gone);
        let tree = structure(&folder.add(locale.code(), &sample.render().unwrap()));
        let flat = tree.split_whitespace().collect::<String>();
        let label = &terms(locale).label;
        let of = |text: String| text.split_whitespace().collect::<String>();
        let pages = format!("2 ({}: 1, {}: 1)", label.not_checked, label.dead_links);
        assert!(flat.contains(&of(pages)), "{locale}: {flat}");
        let from = format!("{}: https://shop.example/about/", label.linked_from);
        assert!(flat.contains(&of(from)), "{locale}: {flat}");
    }
}

#[test]
fn what_covers_a_page_and_the_status_of_one_that_failed_are_told_in_every_language() {
    let folder = Folder::new();
    for locale in Locale::ALL {
        let mut sample = Sample::new(locale, Size { pages: 2, rules: 1, elements: 1, screenshots: 0 });
        let cover = Cover::new(CoverKind::Consent, 85);
        let sentence = terms(locale).cover(&cover);
        sample.report.pages[0].cover = Some(CoverView::new(cover.kind, cover.percent, &sentence));
        let message = "The web server answered with error status 418.";
        sample.report.pages[1].error = Some(Failure::new(FailureCode::HttpStatus, message));
        let tree = structure(&folder.add(locale.code(), &sample.render().unwrap()));
        let flat = tree.split_whitespace().collect::<String>();
        let sentence: String = sentence.split_whitespace().collect();
        assert!(flat.contains(&sentence), "{locale}: {sentence} in {flat}");
        assert!(flat.contains("418"), "{locale}: {flat}");
    }
}

#[test]
fn a_page_that_was_checked_before_it_was_complete_says_so_in_every_language() {
    let folder = Folder::new();
    for locale in Locale::ALL {
        let mut sample = Sample::new(locale, Size { pages: 2, rules: 1, elements: 1, screenshots: 0 });
        let addresses: Vec<String> = (0..10).map(|number| format!("https://tracker.example/{number}")).collect();
        let page = &mut sample.report.pages[0];
        (page.still_changing, page.unanswered) = (true, addresses.clone());
        let tree = structure(&folder.add(locale.code(), &sample.render().unwrap()));
        let flat = tree.split_whitespace().collect::<String>();
        let of = |text: &str| text.split_whitespace().collect::<String>();
        let words = &terms(locale).label;
        let unanswered = format!("{}: {}", words.unanswered, addresses[..3].concat());
        assert!(flat.contains(&of(&words.still_changing)), "{locale}: {flat}");
        assert!(flat.contains(&of(&unanswered)) && !flat.contains(&addresses[3]), "{locale}: {flat}");
    }
}

#[test]
fn pictures_and_pages_that_are_not_there_are_told_in_every_language_and_nothing_else_is() {
    let folder = Folder::new();
    let flat = |name: &str, sample: &Sample| {
        let tree = structure(&folder.add(name, &sample.render().unwrap()));
        tree.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    for locale in Locale::ALL {
        let label = &terms(locale).label;
        let [not_stored, lost, stopped] =
            [&label.pictures_not_stored, &label.pictures_lost, &label.stopped_by_timeouts]
                .map(|text| text.replace('\u{A0}', " "));
        let mut sample = Sample::new(locale, Size { pages: 1, rules: 1, elements: 1, screenshots: 0 });
        let says = |sample: &Sample| {
            let text = flat(locale.code(), sample);
            [text.contains(&not_stored), text.contains(&lost), text.contains(&stopped)]
        };
        assert_eq!(says(&sample), [false, false, false], "{locale}");
        sample.report.pictures_not_stored = true;
        assert_eq!(says(&sample), [true, false, false], "{locale}");
        sample.report.pictures_not_stored = false;
        sample.pictures_lost = true;
        assert_eq!(says(&sample), [false, true, false], "{locale}");
        sample.pictures_lost = false;
        sample.report.stopped_by_timeouts = true;
        assert_eq!(says(&sample), [false, false, true], "{locale}");
    }
}

#[test]
fn sections_and_rules_are_bookmarks() {
    let folder = Folder::new();
    let sample = Sample::new(Locale::En, Size { pages: 2, rules: 2, elements: 2, screenshots: 0 });
    let mut sample = sample;
    let [first, second] = [0, 1].map(|number| format!("  {}. {}", number + 1, sample.report.groups[number].title));
    let third = format!("  3. {}", sample.report.advisory[0].title);
    let opening = ["Overview", "To do, place by place"];
    let closing = ["Pages", "What no machine tests", "Needs manual review", "The law in three lines", "Ten words"];
    let closing = [&closing[..], &["How this was checked"]].concat();
    let brief = [&opening[..], &["New since last time", "Problems", &first, &second, "Recommendations"], &closing];
    assert_eq!(bookmarks(&folder.add("en", &sample.render().unwrap())), brief.concat());
    sample.detail = Detail::Full;
    let rules = ["Contents", "New since last time", "Problems", &first, &second, "Recommendations", &third];
    let full = [&opening[..], &rules, &closing].concat();
    assert_eq!(bookmarks(&folder.add("full", &sample.render().unwrap())), full);
}

#[test]
fn a_white_label_file_carries_the_brand_alone() {
    let folder = Folder::new();
    let mut sample = Sample::new(Locale::De, USUAL);
    sample.brand.name = "Agentur Müller & Söhne".to_owned();
    sample.brand.colour = "#ffcc00".parse().unwrap();
    sample.generated_by = None;
    let file = folder.add("named", &sample.render().unwrap());
    assert!(!text_as_read(&file).contains("a11ycheck") && !unpacked(&file).contains("a11ycheck"));
    assert!(structure(&file).contains("\"Agentur Müller & Söhne\""));
    assert!(information(&file).contains("Author:          Agentur Müller & Söhne"));
    let without = structure(&file).matches("Figure").count();
    sample.brand.logo = Logo::recognised(picture(200, 60));
    let file = folder.add("logo", &sample.render().unwrap());
    assert_eq!(structure(&file).matches("Figure").count(), without + 1);
}

#[test]
fn the_same_report_gives_the_same_file_byte_by_byte() {
    let sample = Sample::new(Locale::Uk, USUAL);
    let first = sample.render().unwrap();
    assert!(first == sample.render().unwrap());
    let mut other = sample;
    other.report.totals.minor += 1;
    assert!(first != other.render().unwrap());
}

#[test]
fn pictures_and_the_chart_are_told_in_words_and_english_is_marked() {
    let folder = Folder::new();
    let english = unpacked(&folder.add("en", &Sample::new(Locale::En, USUAL).render().unwrap()));
    // The pictures show links around pictures, and are described by their content, not by their position.
    let shown: String = "Link “linen-shirt-1.webp”".encode_utf16().map(|unit| format!("{unit:04x}")).collect();
    assert!(english.to_lowercase().contains(&shown) && !english.contains("nth-child\\(1\\) > a"), "{shown}");
    assert!(english.contains("/Alt (Trend over time. 2026-10-17: 54 problems; "));
    // In an English file, nothing is in another language.
    assert_eq!(english.matches("/Lang (en)").count(), 1);
    let polish = unpacked(&folder.add("pl", &Sample::new(Locale::Pl, USUAL).render().unwrap()));
    assert_eq!(polish.matches("/Lang (pl)").count(), 1);
    assert!(polish.matches("/Lang (en)").count() <= 2, "what was found on an element is said in Polish");
    let mut full = Sample::new(Locale::Pl, USUAL);
    full.detail = Detail::Full;
    let full = unpacked(&folder.add("full", &full.render().unwrap()));
    assert!(full.matches("/Lang (en)").count() <= 2, "what was found on an element is said in Polish");
}

#[test]
fn a_site_without_problems_is_told_so_and_no_more() {
    let folder = Folder::new();
    let sample = Sample::new(Locale::En, Size { pages: 1, rules: 0, elements: 0, screenshots: 0 });
    let file = folder.add("clean", &sample.render().unwrap());
    let titles = bookmarks(&file);
    for absent in ["To do, place by place", "Recommendations", "Other rules"] {
        assert!(!titles.iter().any(|title| title == absent), "{titles:?}");
    }
    assert!(structure(&file).contains(&terms(Locale::En).label.no_problems));
}
