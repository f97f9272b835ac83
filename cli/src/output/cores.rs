//! The files that core makes of every check: CSV, HTML, PDF. They mark accepted elements, with the reason, the note and the last
//! day, and list known ones like any other.

use std::io::{self, Write};

use a11ycheck_core::{
    export::{
        Brand, ExportFormat, ExportSource,
        html::{self, Gallery, HtmlSource},
    },
    report::PictureId,
};

use crate::run::{Run, RunReport};

const PROGRAM: &str = concat!("a11ycheck ", env!("CARGO_PKG_VERSION"));

pub(super) fn csv(run: &Run, out: &mut dyn Write) -> io::Result<()> {
    let RunReport { findings, site, report } = RunReport::of(run, run.settings.locale);
    let source = ExportSource::new("", &site.details, run.finished_at, &findings, run.settings.locale)
        .with_accepted(&report.accepted);
    a11ycheck_core::export::write(ExportFormat::Csv, &source, out)
}

pub(super) fn html(run: &Run, out: &mut dyn Write) -> io::Result<()> {
    let RunReport { findings, site, report } = RunReport::of(run, run.settings.locale);
    let mut gallery = Gallery::new();
    if let Some(screen) = &run.pictures.screen {
        gallery.add(PictureId::Screen, screen.data.clone());
    }
    let mut missing = 0;
    for number in report.pictured() {
        let Some(shot) = findings.numbered(number).and_then(|finding| finding.screenshot) else { continue };
        match run.pictures.elements.get(&shot.id.0) {
            Some(picture) => drop(gallery.add(PictureId::Example(number), picture.data.clone())),
            None => missing += 1,
        }
    }
    gallery.leave_out(missing);
    let brand = Brand::default();
    let source = HtmlSource::new(&report, &site.details, &findings, &brand, &gallery).with_generated_by(PROGRAM);
    html::write(&source, out)
}

#[cfg(feature = "pdf")]
pub(super) fn pdf(run: &Run, out: &mut dyn Write) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    use a11ycheck_core::export::pdf::{Detail, PdfSource, render};

    let RunReport { findings, report, .. } = RunReport::of(run, run.settings.locale);
    let brand = Brand::default();
    let pictures = |number: u64| {
        let shot = findings.numbered(number)?.screenshot?;
        Some(run.pictures.elements.get(&shot.id.0)?.data.as_slice())
    };
    let source = PdfSource::new(&report, &brand)
        .with_generated_by(PROGRAM)
        .with_pictures(&pictures)
        .with_screen(run.pictures.screen.as_ref().map(|screen| screen.data.as_slice()))
        .with_detail(Detail::Full);
    out.write_all(&render(&source)?)?;
    Ok(())
}

#[cfg(not(feature = "pdf"))]
pub(super) fn pdf(_: &Run, _: &mut dyn Write) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    Err(io::Error::from(io::ErrorKind::Unsupported).into())
}
