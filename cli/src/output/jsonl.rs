//! A line of JSON for each page and each finding, for programs that read one after the other.

use std::io::{self, Write};

use serde::Serialize;

use super::safe::JsonWithoutCommands;
use crate::run::{Exit, Page, Run, RunFinding, Settings, Tools};

/// A line. The first one is the run's, the last one has the exit code; those between come by page.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
enum Line<'a> {
    Run {
        format: u32,
        tools: &'a Tools,
        settings: &'a Settings,
    },
    Page {
        #[serde(flatten)]
        page: &'a Page,
    },
    Finding {
        url: &'a str,
        #[serde(flatten)]
        finding: &'a RunFinding,
    },
    Undecided {
        url: &'a str,
        #[serde(flatten)]
        finding: &'a RunFinding,
    },
    End {
        #[serde(flatten)]
        exit: &'a Exit,
    },
}

pub(super) fn write(run: &Run, out: &mut dyn Write) -> io::Result<()> {
    let mut line = |line: &Line<'_>| -> io::Result<()> {
        let mut out = JsonWithoutCommands::new(&mut *out);
        serde_json::to_writer(&mut out, line)?;
        out.write_all(b"\n")
    };
    line(&Line::Run { format: run.format, tools: &run.tools, settings: &run.settings })?;
    for (number, page) in run.pages.iter().enumerate() {
        line(&Line::Page { page })?;
        let url = page.url.as_str();
        for finding in run.findings.iter().filter(|finding| finding.page == number) {
            line(&Line::Finding { url, finding })?;
        }
        for finding in run.undecided.iter().filter(|finding| finding.page == number) {
            line(&Line::Undecided { url, finding })?;
        }
    }
    line(&Line::End { exit: &run.exit })
}
