//! Finds a browser that runs, or installs one.

use std::ffi::{OsStr, OsString};
use std::path::{self, PathBuf};

use crate::apt::Apt;
use crate::error::Error;
use crate::machine::Machine;
use crate::probe::browser_version;

/// Programs that will do, the best first: the shell without a window is lighter and starts faster.
const PROGRAMS: [&str; 5] =
    ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

/// Packages that bring one of [`PROGRAMS`]. Ubuntu has only the second.
const PACKAGES: [&str; 2] = ["chromium-headless-shell", "chromium"];

/// A browser that answered to `--version`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Browser {
    /// Its absolute path.
    pub(crate) program: PathBuf,
    /// As it calls itself, for example `Chromium 156.0.8078.79`.
    pub(crate) version: String,
}

/// The browser that `A11YCHECK_CHROMIUM` names, else the best of `PATH`, else one that was installed just now.
///
/// # Errors
///
/// [`Error::ConfiguredBrowser`], [`Error::BrowserMissing`], [`Error::BrowserStillMissing`] and those of [`Apt::install`].
pub(crate) fn ensure(machine: &Machine, apt: Option<&mut Apt<'_>>) -> Result<Browser, Error> {
    match plan(machine) {
        BrowserPlan::Configured(program) => {
            let version = browser_version(&program, machine.patience)
                .map_err(|source| Error::ConfiguredBrowser { program: program.clone(), source })?;
            Ok(Browser { program, version })
        }
        BrowserPlan::Try(programs) => match first_that_runs(machine, programs) {
            Some(browser) => Ok(browser),
            None => install(machine, apt.ok_or(Error::BrowserMissing)?),
        },
    }
}

/// Which programs to try, decided without running any.
#[derive(Debug, PartialEq, Eq)]
enum BrowserPlan {
    /// The one that the user named, and no other: a silent substitute would be a surprise.
    Configured(PathBuf),
    /// What `PATH` has, the best first.
    Try(Vec<PathBuf>),
}

fn plan(machine: &Machine) -> BrowserPlan {
    match &machine.chromium {
        Some(name) => BrowserPlan::Configured(resolve(machine, name)),
        None => BrowserPlan::Try(PROGRAMS.iter().filter_map(|name| machine.program(name)).collect()),
    }
}

/// A bare name is looked up in `PATH`; a path is made absolute, because tests run in other folders.
fn resolve(machine: &Machine, name: &OsStr) -> PathBuf {
    let bare = name.to_str().filter(|name| !name.contains('/')).and_then(|name| machine.program(name));
    bare.unwrap_or_else(|| path::absolute(name).unwrap_or_else(|_| OsString::from(name).into()))
}

fn first_that_runs(machine: &Machine, programs: Vec<PathBuf>) -> Option<Browser> {
    programs.into_iter().find_map(|program| match browser_version(&program, machine.patience) {
        Ok(version) => Some(Browser { program, version }),
        Err(error) => {
            eprintln!("    passing over {}: {error}", program.display());
            None
        }
    })
}

fn install(machine: &Machine, apt: &mut Apt<'_>) -> Result<Browser, Error> {
    eprintln!("==> No browser that runs was found: installing one");
    let [preferred, other] = PACKAGES;
    match apt.install(preferred) {
        Err(Error::Apt { status, .. }) => {
            eprintln!("    {preferred} could not be installed ({status}); trying {other}");
            apt.install(other)?;
        }
        outcome => outcome?,
    }
    // Without it the crawler knows no secure site; packages are installed without what they only recommend.
    apt.install("ca-certificates")?;
    let BrowserPlan::Try(programs) = plan(machine) else { return Err(Error::BrowserStillMissing) };
    first_that_runs(machine, programs).ok_or(Error::BrowserStillMissing)
}

#[cfg(test)]
mod tests {
    use crate::fixture::{Bench, program};

    use super::*;

    fn ensure_on(bench: &Bench) -> Result<Browser, Error> {
        let machine = bench.machine();
        ensure(&machine, Apt::find(&machine).as_mut())
    }

    #[test]
    fn the_light_shell_is_preferred_to_the_whole_browser() {
        let bench = Bench::new();
        bench.add("google-chrome", "chromium");
        bench.add("chromium", "chromium");
        bench.add("chromium-headless-shell", "chromium");
        assert_eq!(ensure_on(&bench).unwrap().program, bench.programs().join("chromium-headless-shell"));
    }

    #[test]
    fn a_browser_that_does_not_run_is_passed_over() {
        let bench = Bench::new();
        bench.add("chromium", "snap-pointer");
        bench.add("google-chrome", "chromium");
        assert_eq!(ensure_on(&bench).unwrap().program, bench.programs().join("google-chrome"));
    }

    #[test]
    fn the_configured_browser_is_used_even_if_a_better_one_is_there() {
        let bench = Bench::new();
        bench.add("chromium-headless-shell", "chromium");
        let mut machine = bench.machine();
        machine.chromium = Some(program("chromium").into());
        assert_eq!(ensure(&machine, None).unwrap().program, program("chromium"));
    }

    #[test]
    fn a_configured_name_is_looked_up_in_the_path() {
        let bench = Bench::new();
        bench.add("my-chromium", "chromium");
        let mut machine = bench.machine();
        machine.chromium = Some("my-chromium".into());
        assert_eq!(ensure(&machine, None).unwrap().program, bench.programs().join("my-chromium"));
    }

    #[test]
    fn a_configured_browser_that_does_not_run_is_never_replaced_silently() {
        let bench = Bench::debian();
        bench.add("chromium-headless-shell", "chromium");
        let mut machine = bench.machine();
        machine.chromium = Some("/nowhere/chromium".into());
        let error = ensure(&machine, Apt::find(&machine).as_mut()).unwrap_err();
        assert!(error.to_string().contains("/nowhere/chromium"), "{error}");
        assert_eq!(bench.log("apt-get"), [] as [&str; 0]);
    }

    #[test]
    fn without_a_package_installer_the_error_names_the_package() {
        let error = ensure_on(&Bench::new()).unwrap_err();
        assert!(matches!(error, Error::BrowserMissing), "{error}");
        assert!(error.to_string().contains("chromium-headless-shell"), "{error}");
    }

    #[test]
    fn on_debian_the_light_shell_is_installed() {
        let bench = Bench::debian();
        assert_eq!(ensure_on(&bench).unwrap().program, bench.programs().join("chromium-headless-shell"));
    }

    #[test]
    fn where_the_light_shell_is_not_packaged_chromium_is_installed() {
        let bench = Bench::debian();
        bench.withhold("chromium-headless-shell");
        assert_eq!(ensure_on(&bench).unwrap().program, bench.programs().join("chromium"));
    }

    #[test]
    fn an_installed_pointer_to_a_snap_is_explained() {
        let bench = Bench::debian();
        bench.withhold("chromium-headless-shell");
        bench.add("chromium", "snap-pointer");
        let error = ensure_on(&bench).unwrap_err();
        assert!(matches!(error, Error::BrowserStillMissing), "{error}");
        assert!(error.to_string().contains("snap"), "{error}");
    }
}
