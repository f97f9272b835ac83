//! The command `doctor`: what checks need, and whether it is there.

use a11ycheck_core::net::AddressPolicy;
use a11ycheck_scanner_chromium::{Examination, Sandbox};

use crate::{arguments::ToolArguments, check::tools, error::whole};

/// Returns a line for each thing that checks need, and whether all of it is there. The browser is started once.
pub async fn examined(arguments: &ToolArguments) -> (Vec<String>, bool) {
    let Examination { browser, axe, authorities, .. } = tools(arguments, AddressPolicy::default()).examine().await;
    let is_whole = browser.is_ok() && axe.is_ok() && authorities.is_ok();
    let mut lines = vec![format!("a11ycheck {}", env!("CARGO_PKG_VERSION"))];
    match browser {
        Ok(found) => {
            let sandbox = match found.sandbox {
                Sandbox::On => "in its sandbox",
                Sandbox::Off => "without its sandbox",
            };
            lines.push(format!("ok       browser: {} at {}, {sandbox}", found.version, found.program.display()));
            lines.push(format!("ok       fonts: {}", found.fonts));
        }
        Err(error) => lines.push(format!("MISSING  browser: {}", whole(&error))),
    }
    match axe {
        Ok(found) => lines.push(format!("ok       axe-core: {} ({})", found.version, found.script.display())),
        Err(error) => lines.push(format!("MISSING  axe-core: {}", whole(&error))),
    }
    match authorities {
        Ok(()) => lines.push("ok       certificate authorities".to_owned()),
        Err(error) => lines.push(format!("MISSING  certificate authorities: {}", whole(&error))),
    }
    (lines, is_whole)
}
