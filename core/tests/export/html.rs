//! The report as an HTML file.

use std::collections::BTreeMap;

use a11ycheck_core::{
    catalog::{brief, terms},
    domain::{
        Colour, Depth, DiffSummary, Failure, FailureCode, Finding, Findings, Impact, Outcome, PageOutcome, RuleFacts,
        RuleId, Scan, ScanKind, ScanState, ScreenshotId, ScreenshotRef, Site, SiteDetails, Tool,
    },
    export::{
        Brand,
        html::{Gallery, HtmlSource, write},
    },
    id::{ScanId, SiteId, TeamId},
    locale::Locale,
    report::{PictureId, Report, Sources},
};

use crate::{
    fixture::{checked_at, clean, hostile, ordinary, site},
    golden::assert_same,
};

/// A picture that browsers show: one grey pixel.
const PIXEL: &[u8] = b"RIFF\x1a\0\0\0WEBPVP8L\x0d\0\0\0\x2f\0\0\0\x10\x07\x10\x11\x11\x88\x88\xfe\x07\0";

fn report(details: &SiteDetails, findings: &Findings, locale: Locale) -> Report {
    let (id, team) = (ScanId::presented("scan_01K1MBY2A3B4C5D6E7F8G9H0JK"), TeamId::presented("team_x"));
    let site = Site {
        id: SiteId::presented("site_x"),
        team,
        details: details.clone(),
        next_scan_at: checked_at(),
        created_at: checked_at(),
    };
    let scan = Scan {
        id,
        team,
        site: site.id,
        kind: ScanKind::Manual,
        pages_requested: 10,
        queued_at: checked_at(),
        state: ScanState::Queued,
        express: false,
        depth: Depth::Full,
    };
    let outcome = Outcome::new(3, findings.totals(), DiffSummary::first(), findings.engine.clone());
    let (scan, outcome, site) = (&scan, &outcome, &site);
    Report::new(Sources { scan, outcome, finished_at: checked_at(), site, findings, trend: &[] }, locale)
}

fn file_with(details: &SiteDetails, findings: &Findings, locale: Locale, brand: &Brand, gallery: &Gallery) -> String {
    let report = report(details, findings, locale);
    let source = HtmlSource::new(&report, details, findings, brand, gallery).with_generated_by("a11ycheck 1.2.3");
    let mut bytes = Vec::new();
    write(&source, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn file(findings: &Findings, locale: Locale) -> String {
    file_with(&site("Our shop"), findings, locale, &Brand::default(), &Gallery::new())
}

/// The ordinary check with a picture of each element and of the first page.
fn pictured() -> (Findings, Gallery) {
    let mut findings = ordinary();
    findings.screen = Some((1_280, 800));
    let mut gallery = Gallery::new();
    assert!(gallery.add(PictureId::Screen, PIXEL));
    for (number, finding) in (1_u32..).zip(&mut findings.items) {
        finding.screenshot = Some(ScreenshotRef::new(ScreenshotId(number), 320, 160));
        assert!(gallery.add(PictureId::Example(number.into()), PIXEL));
    }
    (findings, gallery)
}

#[test]
fn the_reports_are_as_they_were() {
    let (findings, gallery) = pictured();
    for locale in Locale::ALL {
        let page = file_with(&site("Our shop"), &findings, locale, &Brand::default(), &gallery);
        assert_same(&format!("report.{locale}.html"), &page);
    }
    assert_same("report.clean.html", &file(&clean(), Locale::En));
}

/// Returns the names of elements, or the values of an attribute, in their order.
fn all<'a>(page: &'a str, before: &str, after: &str) -> Vec<&'a str> {
    page.split(before).skip(1).filter_map(|rest| rest.split(after).next()).collect()
}

#[test]
fn who_uses_keyboard_or_screen_reader_finds_landmarks_headings_and_names() {
    let (findings, gallery) = pictured();
    for locale in Locale::ALL {
        let page = file_with(&site("Our shop"), &findings, locale, &Brand::default(), &gallery);
        assert!(page.starts_with(&format!("<!DOCTYPE html>\n<html lang=\"{locale}\">")), "{locale}");
        for landmark in ["<header>", "<nav aria-label=", "<main id=\"content\" tabindex=\"-1\">", "<footer>", "<h1>"] {
            assert_eq!(page.matches(landmark).count(), 1, "{locale}: {landmark}");
        }
        assert!(page.contains("<a class=\"skip\" href=\"#content\">"));
        let levels: Vec<u8> = page
            .match_indices("<h")
            .filter_map(|(at, _)| page.as_bytes().get(at + 2).filter(|byte| byte.is_ascii_digit()))
            .map(|byte| byte - b'0')
            .collect();
        assert!(levels.windows(2).all(|pair| pair[1] <= pair[0] + 1), "no level is skipped: {levels:?}");
        let ids: Vec<&str> = all(&page, " id=\"", "\"");
        assert!(ids.iter().all(|id| ids.iter().filter(|other| *other == id).count() == 1), "{ids:?}");
        for target in all(&page, "href=\"#", "\"") {
            assert!(ids.contains(&target), "{locale}: #{target}");
        }
        let tables = page.matches("<table").count();
        let named = page.matches("<caption>").count() + page.matches("<table role=\"table\" aria-label").count();
        assert_eq!(tables, named, "{locale}: each table has a name");
        assert_eq!(page.matches("<th ").count(), page.matches(" scope=\"").count(), "{locale}");
        let pictures = all(&page, "<img ", ">");
        assert!(pictures.len() > 4 && pictures.iter().all(|picture| !picture.contains("alt=\"\"")), "{pictures:?}");
        // The rule without a card has English texts.
        assert_eq!(page.contains(" lang=\"en\">3. Pages must be kind"), locale != Locale::En, "{locale}");
    }
}

#[test]
fn the_file_runs_no_script_and_loads_nothing() {
    let (findings, gallery) = pictured();
    let page = file_with(&site("Our shop"), &findings, Locale::De, &Brand::default(), &gallery);
    assert!(page.contains("content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:;"));
    assert!(
        !page.contains("<script") && !page.contains("<link") && !page.contains("@import") && !page.contains("url(")
    );
    assert!(all(&page, " src=\"", "\"").iter().all(|source| source.starts_with("data:image/webp;base64,")));
}

#[test]
fn the_words_are_those_of_the_language_and_no_placeholder_is_left() {
    for locale in Locale::ALL {
        let page = file(&ordinary(), locale);
        let (words, label) = (brief(locale), &terms(locale).label);
        for text in [&words.todo.title, &words.html.by_page, &label.problems, &words.method.title] {
            assert!(page.contains(&text.replace('\'', "&#39;")), "{locale}: {text}");
        }
        let body = page.split("<body>").nth(1).unwrap();
        let visible = body.replace("{noformat}", "");
        for placeholder in ["{n}", "{rule}", "{rank}", "{pages}", "{places}", "{percent}", "{platform}", "{thing}"] {
            assert!(!visible.contains(placeholder), "{locale}: {placeholder}");
        }
    }
}

#[test]
fn each_element_is_found_by_its_rule_and_by_its_page() {
    let page = file(&ordinary(), Locale::En);
    let (by_rule, by_page) = page.split_once("<h2 id=\"by-page\">").unwrap();
    for part in [by_rule, by_page] {
        for selector in ["main &gt; p:nth-child(2)", ".price", "#logo"] {
            assert!(part.contains(&format!("<bdi>{selector}</bdi>")), "{selector}");
        }
        assert!(part.contains("&lt;img id=&quot;logo&quot; src=&quot;/logo.png&quot;&gt;"));
    }
    let pages: Vec<&str> = by_page.split("<details id=").skip(1).collect();
    assert_eq!(pages.len(), 2, "pages without findings are not listed");
    assert!(pages[0].contains("Shop") && pages[0].contains("Problems: 3") && pages[0].contains("region"));
    assert!(pages[1].contains("Cart") && pages[1].contains("Problems: 2"));
}

#[test]
fn what_a_page_says_is_never_markup_and_never_turns_its_surroundings_around() {
    let name = "</title></style><script>alert(1)</script>\" onload=\"x' <img src=x onerror=y>\0\u{202e}{n}";
    let mut findings = hostile();
    findings.screen = Some((1_280, 800));
    for (number, text) in (0..).zip(["<script>a</script>", "\"><svg onload=alert(1)>", "</bdi></pre></code>\0\u{2066}"])
    {
        let mut finding = Finding::new(RuleId::new("kind-page"), number, "", text, text, text);
        finding.screenshot = Some(ScreenshotRef::new(ScreenshotId(1), 1, 1));
        findings.items.push(finding);
        findings.pages[number].title = format!("{text}{name}");
        findings.pages[number].unanswered = vec![text.to_owned()];
    }
    findings.pages[3].url = "javascript:alert(1)//<b>".to_owned();
    findings.pages[4].linked_from = Some("javascript:alert(2)".to_owned());
    findings.engine.browser = Some("<i>{n}".to_owned());
    let facts = RuleFacts::new(Impact::Minor, ["wcag2a"])
        .with_texts("</h3><script>", "<img onerror=\"x\"> `</code><script>`")
        .with_help_url("javascript:alert(3)");
    findings.rules.insert(RuleId::new("kind-page"), facts);
    let mut gallery = Gallery::new();
    for number in 1..=findings.items.len() as u64 {
        assert!(gallery.add(PictureId::Example(number), PIXEL));
    }
    let brand = Brand::new(name, Colour::new(0xff, 0xee, 0));
    let page = file_with(&site(name), &findings, Locale::Ru, &brand, &gallery);
    for alive in
        ["<script", "<svg onload", "<b>", "<i>", "</bdi></pre>", " onload=\"", " onerror=", "href=\"javascript"]
    {
        let harmless =
            page.replace("&quot; onload=&quot;", "").replace("src=x onerror=y", "").replace("&lt;img onerror=", "");
        assert!(!harmless.contains(alive), "{alive}");
    }
    let hidden = |character: char| {
        (character.is_control() && character != '\n')
            || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    assert!(!page.contains(hidden), "{:?}", page.find(hidden));
    // Every element is closed as the template does: nothing of a text has opened or closed one.
    for element in ["bdi", "code", "pre", "li", "details", "summary", "td", "th", "h3", "h4", "dd", "strong"] {
        let opened = page.matches(&format!("<{element}>")).count() + page.matches(&format!("<{element} ")).count();
        assert_eq!(opened, page.matches(&format!("</{element}>")).count(), "{element}");
    }
    assert_eq!(page.matches("</style>").count(), 1);
    assert_same("report.hostile.html", &page);
}

#[test]
fn the_brand_is_shown_and_under_a_brand_our_name_is_nowhere() {
    let brand = Brand::new("Müller & Co", Colour::new(0xff, 0xee, 0));
    let (details, findings, gallery) = (site("Our shop"), ordinary(), Gallery::new());
    let report = report(&details, &findings, Locale::En);
    let mut bytes = Vec::new();
    write(&HtmlSource::new(&report, &details, &findings, &brand, &gallery), &mut bytes).unwrap();
    let page = String::from_utf8(bytes).unwrap();
    assert!(page.contains("<header>Müller &amp; Co</header>") && page.contains("--brand: #ffee00;"));
    assert!(!page.to_lowercase().contains("a11ycheck"));
    let heading = page.split("--heading: ").nth(1).unwrap().split(';').next().unwrap();
    assert!(heading.parse::<Colour>().unwrap().contrast(Colour::WHITE) >= 7.0, "{heading}");
    let ours = file(&findings, Locale::En);
    assert!(ours.contains("a11ycheck 1.2.3"), "without white label, the program names itself");
}

/// By the formula of WCAG, from the style itself.
#[test]
fn every_colour_of_text_is_readable_on_every_ground_light_and_dark() {
    let page = file(&clean(), Locale::En);
    let style = page.split("<style>").nth(1).unwrap().split("</style>").next().unwrap();
    let (light, dark) = style.split_once("prefers-color-scheme: dark").unwrap();
    for (scheme, style) in [("light", light), ("dark", dark)] {
        let colours: BTreeMap<&str, Colour> = style
            .split("--")
            .skip(1)
            .filter_map(|rest| rest.split(';').next()?.split_once(": "))
            .filter_map(|(name, value)| {
                let full = if value == "#fff" { "#ffffff" } else { value };
                Some((name, full.parse().ok()?))
            })
            .collect();
        for text in ["ink", "quiet", "link", "critical", "serious", "moderate", "minor"] {
            for ground in ["ground", "panel"] {
                let ratio = colours[text].contrast(colours[ground]);
                assert!(ratio >= 7.0, "{scheme}: {text} on {ground}: {ratio}");
            }
        }
        assert!(colours["line"].contrast(colours["ground"]) >= 3.0, "{scheme}");
        assert!(colours["heading"].contrast(colours["ground"]) >= 7.0, "{scheme}");
    }
}

#[test]
fn pictures_are_shown_with_the_words_of_what_they_show_and_missing_ones_are_counted() {
    let (findings, gallery) = pictured();
    let page = file_with(&site("Our shop"), &findings, Locale::En, &Brand::default(), &gallery);
    assert!(page.contains("alt=\"Picture: Image “logo.png”\""), "{page}");
    assert!(page.contains("alt=\"Picture of the start page"));
    let mut gallery = Gallery::new();
    gallery.leave_out(7);
    gallery.note_lost();
    let page = file_with(&site("Our shop"), &findings, Locale::En, &Brand::default(), &gallery);
    assert!(!page.contains("<img ") && page.contains("to keep this file small: 7"));
    assert!(page.contains(&terms(Locale::En).label.pictures_lost));
}

/// The longest texts that the scanner keeps, of characters that take most when they are escaped.
#[test]
fn the_file_of_the_largest_check_is_bounded_and_says_what_it_leaves_out() {
    const PAGES: usize = 520;
    let rules: Vec<RuleId> = (0..40).map(|number| RuleId::new(format!("kind-{number}"))).collect();
    let facts = RuleFacts::new(Impact::Serious, ["wcag2aa"]).with_texts("\"".repeat(500), "\"".repeat(5_000));
    let long = "\"".repeat(2_000);
    // On each page the same elements: texts as long as these take minutes to look for hashes in, 20,800 times.
    let elements: Vec<_> = rules.iter().map(|rule| Finding::new(rule.clone(), 0, "", &long, &long, &long)).collect();
    let mut items: Vec<_> = (0..PAGES).flat_map(|_| elements.clone()).collect();
    for (number, item) in items.iter_mut().enumerate() {
        item.page = number / elements.len();
    }
    let pages = (0..PAGES).map(|page| PageOutcome::checked(format!("https://shop.example/{page}/{long}"), &long));
    let missing = Failure::new(FailureCode::HttpStatus, long.clone());
    let failed =
        (0..PAGES).map(|page| PageOutcome::failed(format!("https://shop.example/x{page}"), "", missing.clone()));
    let findings = Findings::new(Tool::axe_core("", ""))
        .with_pages(pages.chain(failed))
        .with_rules(rules.iter().map(|rule| (rule.clone(), facts.clone())))
        .with_items(items);
    let page = file(&findings, Locale::En);
    let listed = page.split("<h2 id=\"by-page\">").nth(1).unwrap();
    assert_eq!(listed.matches("<li>").count(), 3_000);
    assert!(listed.contains("Pages with findings that are not listed here: 20"));
    assert!(listed.contains("Not listed here, but in the exports: 1"));
    assert!(page.len() < 64_000_000, "{} bytes", page.len());
    eprintln!("the largest report has {} bytes", page.len());
}
