//! What reports say about an element: the catalogue's sentences, with what axe-core measured in the page.

use std::collections::BTreeSet;

use a11ycheck_core::{
    catalog::{check_messages, is_probe, sentence},
    domain::{AxeCheck, CheckOutcome, Findings, RuleId},
    locale::Locale,
};

use a11ycheck_scanner_chromium::ChromiumScanner;

use crate::{
    by_hand::{Console, axe},
    support::{Reply, Site, config, page, scan},
};

/// The messages of axe-core's checks for elements that fail or could not be judged.
const MESSAGES: &str = "() => Object.entries(axe._audit.data.checks).flatMap(([id, { messages }]) =>
    ['fail', 'incomplete'].flatMap((outcome) => {
        const found = messages[outcome];
        if (!found) return [];
        const keys = typeof found === 'object' ? Object.keys(found) : ['default'];
        return keys.map((key) => `${id} ${outcome} ${key}`);
    }))";

#[tokio::test(flavor = "multi_thread")]
async fn every_message_of_axe_core_has_a_sentence() {
    let site = Site::start(|_| Reply::Html(page("Home", "ok"))).await;
    let url = site.url("/");
    let theirs = tokio::task::spawn_blocking(move || Console::open().evaluate_in_frames(&url, &axe(), MESSAGES));
    let theirs: BTreeSet<String> = serde_json::from_value(theirs.await.unwrap()).unwrap();
    let in_words = |(id, outcome, key): (&str, CheckOutcome, &str)| {
        let outcome = if outcome == CheckOutcome::Fail { "fail" } else { "incomplete" };
        format!("{id} {outcome} {key}")
    };
    let ours: BTreeSet<String> = check_messages().filter(|(id, ..)| !is_probe(id)).map(in_words).collect();
    assert_eq!(theirs.difference(&ours).collect::<Vec<_>>(), Vec::<&String>::new(), "without a sentence");
    assert_eq!(ours.difference(&theirs).collect::<Vec<_>>(), Vec::<&String>::new(), "axe-core has no such message");
    assert_eq!(ours.len(), 273);
}

/// The faults are typical ones, and some elements that axe-core cannot judge.
const BODY: &str = r#"
    <p id=grey style="color: #767779; background: #fff; font-size: 16px">This text is a little too pale.</p>
    <img id=photo src="data:,">
    <input id=field>
    <ul id=menu role=menubar><li id=item>Home</li></ul>
    <div id=busy role=list><button id=inner>Buy</button></div>
    <p style="color: #000; background: #fff">A long text with
        <a id=link href="/x" style="color: #333; text-decoration: none">a link</a> in the middle of it.</p>
    <div id=group><p id=hero style="background: url(data:,x); color: #777">On a picture</p></div>
    <button id=opener aria-controls=nowhere aria-haspopup=true>Open</button>
"#;

/// Returns the German sentences about the element with this selector under this rule.
fn sentences(findings: &Findings, rule: &str, selector: &str) -> Vec<String> {
    let all = findings.items.iter().chain(&findings.undecided);
    let mut found = all.filter(|finding| finding.rule == RuleId::new(rule) && finding.selector == selector);
    let finding = found.next().unwrap_or_else(|| panic!("{rule} {selector} in {findings:#?}"));
    finding.checks.iter().map(said).collect()
}

fn said(check: &AxeCheck) -> String {
    sentence(check, Locale::De).unwrap_or_else(|| panic!("no sentence for {check:?}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn an_element_is_told_in_german_with_what_was_measured_on_it() {
    let html = page("Home", BODY);
    let site = Site::start(move |_| Reply::Html(html.clone())).await;
    let scanner = ChromiumScanner::new(config()).unwrap();
    let findings = scan(&scanner, &site.url("/"), 1).await;
    scanner.close().await;

    let contrast = sentences(&findings, "color-contrast", "#grey").join(" ");
    for value in ["#767779", "#ffffff", "4,4", "4,5:1", "16"] {
        assert!(contrast.contains(value), "{value} in {contrast}");
    }
    let image = sentences(&findings, "image-alt", "#photo");
    assert!(image.len() > 1 && image.iter().any(|sentence| sentence.contains("`alt`")), "{image:?}");
    let label = sentences(&findings, "label", "#field");
    assert!(label.iter().any(|sentence| sentence.contains("`<label>`")), "{label:?}");
    let children = sentences(&findings, "aria-required-children", "#busy").join(" ");
    assert!(children.contains("`button`") && children.contains("enthält"), "{children}");
    let link = sentences(&findings, "link-in-text-block", "#link").join(" ");
    for value in ["#333333", "#000000", "1,6", "3:1"] {
        assert!(link.contains(value), "{value} in {link}");
    }

    // What axe-core could not decide is kept with its reason and its picture, and is in no total.
    let hero = sentences(&findings, "color-contrast", "#hero");
    assert_eq!(hero, ["Der Hintergrund ist ein Bild, daher ließ sich der Kontrast nicht messen."]);
    let undecided = findings.undecided.iter().find(|finding| finding.selector == "#hero").unwrap();
    assert!(undecided.screenshot.is_some() && undecided.area.is_some(), "{undecided:?}");
    assert!(findings.items.iter().all(|finding| finding.selector != "#hero"));
    let opener = sentences(&findings, "aria-valid-attr-value", "#opener").join(" ");
    assert!(opener.contains("`aria-controls=\"nowhere\"`"), "{opener}");
    let reasons = &findings.undecided_reasons[&RuleId::new("color-contrast")];
    let counted: u32 = reasons.iter().map(|reason| reason.count).sum();
    assert_eq!(counted, findings.needs_review[&RuleId::new("color-contrast")], "{reasons:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_thousand_elements_to_decide_about_a_few_are_kept_and_all_are_counted() {
    let gradient = "background: linear-gradient(#fff, #ddd)";
    let texts: String = (0..300).map(|number| format!("<p style='{gradient}'>Text {number}</p>")).collect();
    let picture = "<p id=other style='background: url(data:,x)'>jane@example.org writes on a picture</p>";
    let html = page("Home", &format!("{texts}{picture}"));
    let site = Site::start(move |_| Reply::Html(html.clone())).await;
    let scanner = ChromiumScanner::new(config()).unwrap();
    let findings = scan(&scanner, &site.url("/"), 1).await;
    scanner.close().await;
    let contrast = RuleId::new("color-contrast");
    assert_eq!(findings.needs_review[&contrast], 301);
    let kept: Vec<_> = findings.undecided.iter().filter(|finding| finding.rule == contrast).collect();
    assert_eq!(kept.len(), Findings::MAX_UNDECIDED);
    let other = kept.iter().find(|finding| finding.selector == "#other");
    assert!(other.is_some_and(|finding| !finding.html.contains("jane@")), "one for each reason: {kept:?}");
    let reasons: Vec<(Option<&str>, u32)> =
        findings.undecided_reasons[&contrast].iter().map(|reason| (reason.key.as_deref(), reason.count)).collect();
    assert_eq!(reasons, [(Some("bgGradient"), 300), (Some("bgImage"), 1)]);
}
