//! Files conform to the standard in every language, however much or little they contain, and whatever it is.

use a11ycheck_core::{
    export::pdf::Detail,
    locale::Locale,
    report::{ExampleBox, PictureId, PictureRef},
};

use crate::{
    USUAL,
    draft::drafts,
    hostile,
    sample::{Sample, Size, picture},
    tools::{Folder, assert_read_as_drawn, check, fonts, information, validate},
};

/// Returns all kinds of reports, by name.
fn samples() -> Vec<(String, Sample)> {
    let mut samples: Vec<(String, Sample)> =
        Locale::ALL.iter().map(|locale| (locale.to_string(), Sample::new(*locale, USUAL))).collect();
    let large = Size { pages: 60, rules: 5, elements: 25, screenshots: 20 };
    samples.push(("large".to_owned(), Sample::new(Locale::De, large)));
    for locale in [Locale::En, Locale::Uk] {
        samples.push((format!("full {locale}"), Sample { detail: Detail::Full, ..Sample::new(locale, USUAL) }));
    }
    // With the start page, outlines on it, and a new rule far down.
    let mut shown = Sample::new(Locale::Ro, Size { pages: 40, rules: 14, elements: 7, screenshots: 30 });
    shown.screen = Some(picture(1_280, 1_400));
    shown.report.screen = Some(PictureRef::new(PictureId::Screen, 1_280, 1_400));
    shown.report.screen_boxes = vec![ExampleBox::new(1, 100, 80, 300, 40), ExampleBox::new(2, 1_200, 1_300, 400, 400)];
    samples.push(("shown".to_owned(), shown));
    let mut clean = Sample::new(Locale::Pl, Size { pages: 1, rules: 0, elements: 0, screenshots: 0 });
    clean.report.trend.truncate(1);
    clean.report.diff.previous_date = None;
    clean.report.needs_review.clear();
    clean.report.to_check.clear();
    samples.push(("clean".to_owned(), clean));
    samples.push(("hostile".to_owned(), hostile::sample()));
    samples
}

#[test]
fn every_file_passes_pdf_ua_and_qpdf_with_all_fonts_embedded() {
    let folder = Folder::new();
    let reports = samples().into_iter().map(|(name, sample)| (name, sample.render().unwrap()));
    let drafts = drafts().into_iter().map(|(name, draft)| (name, draft.render()));
    let (names, files): (Vec<_>, Vec<_>) = reports
        .chain(drafts)
        .map(|(name, file)| {
            let path = folder.add(&name, &file);
            (name, path)
        })
        .unzip();
    for (name, verdict) in names.iter().zip(validate(&files)) {
        // Fewer would mean that the validator saw no content.
        assert!(verdict.as_ref().is_ok_and(|assertions| *assertions > 1_000), "{name}: {verdict:?}");
    }
    for file in &files {
        check(file);
        let fonts = fonts(file);
        assert!(fonts.len() >= 2 && fonts.iter().all(|(_, flags)| *flags == [true; 3]), "{file:?}: {fonts:?}");
        assert!(information(file).contains("Tagged:          yes"));
    }
}

#[test]
fn the_validator_tells_a_file_that_does_not_conform() {
    let folder = Folder::new();
    let mut file = Sample::new(Locale::En, USUAL).render().unwrap();
    let mark = b"<pdfuaid:part>1<";
    let place = file.windows(mark.len()).position(|bytes| bytes == mark).unwrap();
    file[place + mark.len() - 2] = b'7';
    let verdict = validate(&[folder.add("false", &file)]).remove(0);
    assert!(verdict.as_ref().is_err_and(|failures| failures.contains("  5: ")), "{verdict:?}");
}

#[test]
fn what_is_read_aloud_comes_in_the_order_of_the_page() {
    let folder = Folder::new();
    for (name, mut sample) in samples().into_iter().filter(|(name, _)| name != "hostile") {
        // Numbers and dates in the chart are read from its alternative text.
        sample.report.trend.clear();
        let file = folder.add(&name, &sample.render().unwrap());
        assert_read_as_drawn(&name, &file);
    }
}
