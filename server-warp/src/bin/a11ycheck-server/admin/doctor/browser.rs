//! What opens and checks pages: the browser, its sandbox and fonts, axe-core, and the authorities of secure sites.

use a11ycheck_scanner_chromium::{ChromiumError, Examination, FoundAxe, FoundBrowser, Sandbox};

use super::{State, Thing, in_words};

/// Returns the things that the examination of the scanner found.
pub(super) fn things(found: Examination) -> Vec<Thing> {
    let axe = match found.axe {
        Ok(FoundAxe { script, version }) => (State::Ok, format!("{version} ({})", script.display())),
        Err(error) => (State::Missing, in_words(&error)),
    };
    let authorities = match found.authorities {
        Ok(()) => (State::Ok, "secure sites can be known".to_owned()),
        Err(error) => (State::Missing, in_words(&error)),
    };
    let [browser, sandbox, fonts] = of_browser(found.browser);
    let all =
        [("browser", browser), ("sandbox", sandbox), ("fonts", fonts), ("axe-core", axe), ("authorities", authorities)];
    all.map(|(name, (state, details))| Thing::new(name, state, details)).into()
}

/// Returns the browser, its sandbox and its fonts.
fn of_browser(found: Result<FoundBrowser, ChromiumError>) -> [(State, String); 3] {
    let FoundBrowser { program, version, sandbox, fonts } = match found {
        Ok(browser) => browser,
        Err(error) => {
            let unknown = || (State::Unknown, "no browser runs that could show it".to_owned());
            let sandbox = match &error {
                ChromiumError::RootWithSandbox => (State::Missing, in_words(&error)),
                ChromiumError::Browser(error) if error.lacks_sandbox() => (State::Missing, NO_SANDBOX.to_owned()),
                _ => unknown(),
            };
            return [(State::Missing, in_words(&error)), sandbox, unknown()];
        }
    };
    let sandbox = match sandbox {
        Sandbox::On => (State::Ok, "on".to_owned()),
        Sandbox::Off => (
            State::Warning,
            "off, because of --no-sandbox: a page that breaks into the browser has all that this user has; run the server \
             without it, as a user other than root"
                .to_owned(),
        ),
    };
    let fonts = if fonts.is_empty() {
        (State::Missing, "none: text has no size and no contrast; install one, such as fonts-dejavu-core".to_owned())
    } else {
        (State::Ok, fonts.to_string())
    };
    [(State::Ok, format!("{version} ({})", program.display())), sandbox, fonts]
}

const NO_SANDBOX: &str = "the system does not let this user make namespaces, which the sandbox consists of: allow it \
    (Ubuntu 23.10 and later: an AppArmor profile for the browser, or sysctl kernel.apparmor_restrict_unprivileged_userns=0; \
    elsewhere sysctl user.max_user_namespaces above 0, and kernel.unprivileged_userns_clone=1 where there is that; in a \
    container, a seccomp profile that permits clone and unshare with CLONE_NEWUSER; in a chroot they are never allowed), or \
    install Debian's chromium-sandbox, or do without by --no-sandbox";

#[cfg(test)]
mod tests {
    use std::error::Error;

    use a11ycheck_scanner_chromium::BrowserError;

    use super::*;

    #[test]
    fn a_browser_without_a_sandbox_is_distinguished_from_one_that_is_broken() {
        let failed = |complaints: &str| {
            let source = "it ended".into();
            let error = BrowserError::NotReady { program: "/b".into(), complaints: complaints.to_owned(), source };
            of_browser(Err(error.into())).map(|(state, _)| state)
        };
        let locked = failed(": [1:1:FATAL:zygote_host_impl_linux.cc(132)] No usable sandbox! If you are running on …");
        assert_eq!(locked, [State::Missing, State::Missing, State::Unknown]);
        let locked = failed(
            ": [1:1:FATAL:zygote_host_impl_linux.cc(201)] Failed to move to new namespace: … = Operation not permitted",
        );
        assert_eq!(locked, [State::Missing, State::Missing, State::Unknown]);
        assert_eq!(failed(": cannot open shared object file"), [State::Missing, State::Unknown, State::Unknown]);
    }

    #[test]
    fn root_is_shown_what_its_browser_lacks_and_the_way_out() {
        let [(browser, _), (sandbox, details), _] = of_browser(Err(ChromiumError::RootWithSandbox));
        assert_eq!((browser, sandbox), (State::Missing, State::Missing));
        assert!(details.contains("as another user") && details.contains("--no-sandbox"), "{details}");
    }

    #[test]
    fn a_cause_that_its_error_names_is_shown_once() {
        let failed = |source: Box<dyn Error + Send + Sync>| {
            let error = BrowserError::NotReady { program: "/b".into(), complaints: ": it ended".to_owned(), source };
            in_words(&error)
        };
        assert_eq!(failed("it ended".into()).matches("it ended").count(), 1);
        assert!(failed("status 1".into()).ends_with(": status 1"));
    }

    #[test]
    fn what_is_missing_says_what_to_do_with_its_causes() {
        let looked_for = vec!["/usr/share/a11ycheck/axe.min.js".into()];
        let found = Examination {
            browser: Err(ChromiumError::BrowserMissing("/b".into())),
            axe: Err(ChromiumError::AxeNotFound { looked_for }),
            authorities: Ok(()),
        };
        let things = things(found);
        let states: Vec<_> = things.iter().map(|thing| (thing.name, thing.state)).collect();
        assert_eq!(
            states,
            [
                ("browser", State::Missing),
                ("sandbox", State::Unknown),
                ("fonts", State::Unknown),
                ("axe-core", State::Missing),
                ("authorities", State::Ok),
            ]
        );
        assert!(things[3].details.contains("/usr/share/a11ycheck/axe.min.js"), "{}", things[3].details);
    }
}
