//! Hostile texts and pictures from pages.

use a11ycheck_core::{
    domain::{Failure, Logo},
    locale::Locale,
    report::Thing,
};

use crate::{
    USUAL,
    sample::{Sample, Size},
    tools::{Folder, structure, unpacked},
};

const TEXTS: [&str; 9] = [
    "=HYPERLINK(\"https://evil.example\",\"click\")",
    "```\n# heading\n```",
    "</script><script>alert(1)</script>",
    "שלום עולם مرحبا \u{202E}gnirts\u{2066}\u{202C}",
    "🦄👩‍👩‍👧‍👦 中文 \u{1F1FA}\u{1F1E6}",
    "\u{0}\u{1}\u{1B}[31m\u{7F}\u{9B}\r\r\n\t\u{2028}\u{FEFF}\u{FFFE}\u{FFFF}\u{E000}\u{AD}",
    "a\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}\u{307}\u{308}",
    ") Tj ET Q EMC endstream endobj (\\( \\) <</MCID 0>> BDC",
    "",
];

/// Returns a report in which every text that can be hostile is.
pub(crate) fn sample() -> Sample {
    let mut sample = Sample::new(Locale::Uk, Size { pages: 3, rules: 6, elements: 9, screenshots: 9 });
    let long = format!("<p title=\"{}\">", "x".repeat(1_000_000));
    let mut texts =
        TEXTS.iter().map(|text| (*text).to_owned()).chain([long, "м".repeat(20_000), " ".repeat(9_000)]).cycle();
    let mut next = || texts.next().unwrap();
    let report = &mut sample.report;
    report.title = next();
    report.url = next();
    report.platform_name = Some(next());
    for page in &mut report.pages {
        (page.url, page.title) = (next(), next());
        page.error = page.error.take().map(|failure| Failure::new(failure.code, next()));
    }
    for group in report.groups.iter_mut().chain(&mut report.advisory) {
        group.help = format!("javascript:{}", next());
        group.pages.iter_mut().for_each(|page| page.url = next());
        for place in &mut group.places {
            (place.page, place.thing) = (next(), Thing::of(&next()));
        }
        for example in &mut group.examples {
            (example.page, example.target, example.html) = (next(), next(), next());
            example.details = Some(next());
        }
        // A rule of a later engine, described in the engine's own words.
        if group.rank % 2 == 0 {
            group.has_card = false;
            (group.title, group.summary, group.how_to_fix) = (next(), next(), next());
            (group.impact, group.who, group.platform_tip) = (String::new(), vec![], None);
        }
    }
    for rule in &mut report.to_check {
        rule.title = next();
        rule.reasons.iter_mut().for_each(|reason| reason.text = next());
        rule.places.iter_mut().for_each(|place| (place.page, place.target) = (next(), next()));
    }
    sample.report.diff.fixed_rules[0].title = next();
    sample.brand.name = next();
    sample.brand.logo = Logo::recognised(b"\x89PNG\r\n\x1a\n broken".to_vec());
    sample.report.engine.browser = Some(next());
    for (number, picture) in sample.pictures.values_mut().enumerate() {
        match number % 3 {
            0 => picture.truncate(100),
            1 => *picture = b"<svg xmlns='http://www.w3.org/2000/svg'/>".to_vec(),
            _ => {}
        }
    }
    sample
}

#[test]
fn hostile_texts_are_shown_as_text_and_bounded() {
    let file = Folder::new();
    let pdf = sample().render().unwrap();
    assert!(pdf.len() < 1_000_000, "{}", pdf.len());
    let text = structure(&file.add("hostile", &pdf));
    for shown in ["=HYPERLINK(", "alert(1)</script>", "endstream endobj (\\(", "\u{FFFD}", "xxxxx…"] {
        assert!(text.contains(shown), "{shown}");
    }
    assert!(!text.contains('\u{202E}') && !text.contains('🦄'));
}

#[test]
fn no_link_runs_a_script() {
    let folder = Folder::new();
    let links = |name: &str, sample: &Sample| {
        let text = unpacked(&folder.add(name, &sample.render().unwrap()));
        text.lines().filter(|line| line.contains("/URI (")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert!(links("usual", &Sample::new(Locale::Uk, USUAL)).len() > 10);
    let hostile = links("hostile", &sample());
    assert_eq!(hostile, [""; 0], "none of the hostile addresses is one of the web");
}
