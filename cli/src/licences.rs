//! The command `licences`: what stands in this program that others own, and where its source is.

use std::fmt::Write as _;

/// axe-core as it was fetched, if it is in this program.
#[cfg(feature = "embed-axe")]
pub(crate) const AXE: Option<&str> = Some(include_str!(env!("A11YCHECK_EMBEDDED_AXE_FILE")));
/// axe-core as it was fetched, if it is in this program.
#[cfg(not(feature = "embed-axe"))]
pub(crate) const AXE: Option<&str> = None;

const OWN: &str = "\
a11ycheck: Apache-2.0 OR MIT, at your choice. The libraries that are compiled in and their licences are those of Cargo.lock:
    cargo tree -p a11ycheck-cli --edges normal --prefix none --format '{p} {l}'
";

#[cfg(feature = "pdf")]
const FONTS: &str = "
DejaVu 2.37 (DejaVu Sans Condensed, its bold face, DejaVu Sans Mono), unmodified, and in the PDF files that this program makes:
    Copyright (c) 2003 by Bitstream, Inc. All Rights Reserved. Copyright (c) 2006 by Tavmjong Bah. All Rights Reserved.
    Licence: in the fonts (table name, entry 13), and at https://dejavu-fonts.github.io/License.html
";
#[cfg(not(feature = "pdf"))]
const FONTS: &str = "";

/// Returns the licences as text.
pub fn text() -> String {
    let mut text = format!("{OWN}{FONTS}");
    match AXE.and_then(version) {
        Some(version) => {
            // Writing to a text can't fail.
            let _ = write!(
                text,
                "
axe-core {version}, unmodified: Copyright (c) 2015 - 2026 Deque Systems, Inc.
    Licence: Mozilla Public License 2.0, https://mozilla.org/MPL/2.0/
    Source: https://github.com/dequelabs/axe-core/tree/v{version}
"
            );
        }
        None => text.push_str("\naxe-core (Mozilla Public License 2.0) is not in this program: it is looked for when pages are checked.\n"),
    }
    text
}

/// Returns the release that the first line of axe-core names.
fn version(script: &str) -> Option<&str> {
    script.strip_prefix("/*! axe v")?.split([' ', '\n']).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_gets_axe_core_with_the_program_is_told_its_licence_and_where_its_source_is() {
        assert_eq!(version("/*! axe v4.14.1\n * Copyright"), Some("4.14.1"));
        let text = text();
        assert!(text.contains("Mozilla Public License 2.0") && text.contains("Apache-2.0 OR MIT"), "{text}");
        let names_source = text.contains("https://github.com/dequelabs/axe-core/tree/v4.14.");
        assert_eq!(names_source, cfg!(feature = "embed-axe"), "{text}");
    }
}
