//! The usual places of the browser and axe-core, for when the configuration names none.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
};

/// Names of programs that will do, the best first: the shell without a window is lighter and starts faster.
pub(crate) const BROWSERS: [&str; 5] =
    ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

/// Folders of programs, for a service whose `PATH` is short or not set.
const PROGRAM_FOLDERS: [&str; 3] = ["/usr/local/bin", "/usr/bin", "/snap/bin"];

/// Programs outside the folders of programs: packages of Debian and others, Google's own, macOS.
const PROGRAMS: [&str; 7] = [
    "/usr/lib/chromium/chromium-headless-shell",
    "/usr/lib/chromium/chromium",
    "/usr/lib64/chromium-browser/chromium-browser",
    "/opt/chromium/chrome",
    "/opt/google/chrome/chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/// The browsers that Playwright keeps, below a folder for each version; the best first.
const PLAYWRIGHT: [(&str, &str); 6] = [
    ("chromium_headless_shell-", "chrome-linux/headless_shell"),
    ("chromium_headless_shell-", "chrome-headless-shell-linux64/chrome-headless-shell"),
    ("chromium-", "chrome-linux/chrome"),
    ("chromium-", "chrome-linux64/chrome"),
    ("chromium-", "chrome-mac/Chromium.app/Contents/MacOS/Chromium"),
    ("chromium_headless_shell-", "chrome-mac/headless_shell"),
];

/// Those that Puppeteer keeps: the folder of the browser, the beginning of a version's folder, the program.
const PUPPETEER: [(&str, &str, &str); 4] = [
    ("chrome-headless-shell", "linux-", "chrome-headless-shell-linux64/chrome-headless-shell"),
    ("chrome", "linux-", "chrome-linux64/chrome"),
    ("chrome-headless-shell", "mac", "chrome-headless-shell-mac-arm64/chrome-headless-shell"),
    ("chrome-headless-shell", "mac", "chrome-headless-shell-mac-x64/chrome-headless-shell"),
];

/// Folders of shared data, where `XDG_DATA_DIRS` is not set.
const DATA_FOLDERS: [&str; 2] = ["/usr/local/share", "/usr/share"];

/// The environment that decides where to search, read once, so that a test can describe another one.
#[derive(Debug, Clone, Default)]
pub(crate) struct Places {
    /// The path of this program, with links resolved.
    executable: Option<PathBuf>,
    /// The current folder.
    current: Option<PathBuf>,
    path: Option<OsString>,
    home: Option<PathBuf>,
    data_home: Option<PathBuf>,
    data_dirs: Option<OsString>,
    cache_home: Option<PathBuf>,
    playwright: Option<PathBuf>,
    puppeteer: Option<PathBuf>,
}

/// The places in which a browser is searched for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BrowserPlaces {
    /// The folders that are searched for each of [`BROWSERS`].
    pub(crate) folders: Vec<PathBuf>,
    /// The other files that are tried.
    pub(crate) files: Vec<PathBuf>,
}

impl Places {
    /// Returns the places for this process.
    pub(crate) fn here() -> Self {
        let set = |name| env::var_os(name).filter(|value| !value.is_empty());
        Self {
            executable: env::current_exe().and_then(|program| program.canonicalize()).ok(),
            current: env::current_dir().ok(),
            path: set("PATH"),
            home: set("HOME").map(PathBuf::from),
            data_home: set("XDG_DATA_HOME").map(PathBuf::from),
            data_dirs: set("XDG_DATA_DIRS"),
            cache_home: set("XDG_CACHE_HOME").map(PathBuf::from),
            playwright: set("PLAYWRIGHT_BROWSERS_PATH").map(PathBuf::from),
            puppeteer: set("PUPPETEER_CACHE_DIR").map(PathBuf::from),
        }
    }

    /// Returns the places where a browser may be. A relative folder of `PATH` is skipped: the program to run must not
    /// depend on the current folder.
    pub(crate) fn browsers(&self) -> BrowserPlaces {
        let path = self.path.iter().flat_map(env::split_paths).filter(|folder| folder.is_absolute());
        BrowserPlaces {
            folders: distinct(path.chain(PROGRAM_FOLDERS.map(PathBuf::from))),
            files: PROGRAMS.map(PathBuf::from).into_iter().chain(self.cached_browsers()).collect(),
        }
    }

    /// Returns the browsers in the caches of Playwright and Puppeteer, the newest of each kind first. They are used last, because
    /// nobody put them there for us.
    fn cached_browsers(&self) -> Vec<PathBuf> {
        let cache = self.cache_home.clone().or_else(|| Some(self.home.as_ref()?.join(".cache")));
        let mac = self.home.as_ref().map(|home| home.join("Library/Caches"));
        let in_caches = |name: &str| [&cache, &mac].into_iter().flatten().map(|cache| cache.join(name)).collect();
        let named = |folder: &Option<PathBuf>, name: &str| match folder {
            // "0" is Playwright's word for the folder of its package.
            Some(folder) if folder.is_absolute() => vec![folder.clone()],
            _ => in_caches(name),
        };
        let mut found = Vec::new();
        for folder in named(&self.playwright, "ms-playwright") {
            for (start, program) in PLAYWRIGHT {
                found.extend(versions(&folder, start).into_iter().map(|version| version.join(program)));
            }
        }
        for folder in named(&self.puppeteer, "puppeteer") {
            for (browser, start, program) in PUPPETEER {
                found.extend(versions(&folder.join(browser), start).into_iter().map(|version| version.join(program)));
            }
        }
        found.retain(|program| program.is_file());
        found
    }

    /// Returns the first program of this name in the folders of programs.
    pub(crate) fn program(&self, name: &str) -> Option<PathBuf> {
        self.browsers().folders.iter().map(|folder| folder.join(name)).find(|program| program.is_file())
    }

    /// Returns the files where axe-core may be, in the order of the search: beside this program, in the folders of
    /// shared data, in `node_modules` of the current folder and those above it.
    pub(crate) fn axe(&self) -> Vec<PathBuf> {
        let beside = self.executable.as_deref().and_then(Path::parent).into_iter();
        let with_program =
            beside.flat_map(|folder| [folder.join("axe.min.js"), of_package(&folder.with_file_name("share"))]);
        let own_data = self.data_home.clone().or_else(|| Some(self.home.as_ref()?.join(".local/share")));
        let shared_data: Vec<PathBuf> = match &self.data_dirs {
            Some(folders) => env::split_paths(folders).collect(),
            None => Vec::new(),
        };
        // The usual two are searched even if the variable leaves them out: it is set for desktops.
        let data = own_data.into_iter().chain(shared_data).chain(DATA_FOLDERS.map(PathBuf::from));
        let data: Vec<PathBuf> = data.filter(|folder| folder.is_absolute()).collect();
        let packaged = data.iter().map(|folder| of_package(folder));
        // The folders in which distributions put libraries for browsers and for Node.js.
        let libraries =
            data.iter().flat_map(|folder| ["javascript", "nodejs"].map(|kind| in_axe_core(&folder.join(kind))));
        let modules = self.current.iter().flat_map(|current| current.ancestors());
        let modules = modules.map(|folder| in_axe_core(&folder.join("node_modules")));
        distinct(with_program.chain(packaged).chain(libraries).chain(modules))
    }
}

impl BrowserPlaces {
    /// Returns the first that is a file. A better browser in any folder goes before a lesser one.
    pub(crate) fn first(&self) -> Option<PathBuf> {
        let named = BROWSERS.iter().flat_map(|name| self.folders.iter().map(move |folder| folder.join(name)));
        named.chain(self.files.iter().cloned()).find(|program| program.is_file())
    }
}

/// Returns the folders whose names begin with `start`, the one with the greatest version first.
fn versions(folder: &Path, start: &str) -> Vec<PathBuf> {
    let numbers = |name: &str| -> Vec<u64> {
        name.split(|letter: char| !letter.is_ascii_digit()).filter_map(|number| number.parse().ok()).collect()
    };
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok()).filter(|name| name.starts_with(start));
    let mut found: Vec<(Vec<u64>, String)> = names.map(|name| (numbers(&name[start.len()..]), name)).collect();
    found.sort_by(|a, b| b.cmp(a));
    found.into_iter().map(|(_, name)| folder.join(name)).collect()
}

fn of_package(share: &Path) -> PathBuf {
    share.join("a11ycheck/axe.min.js")
}

fn in_axe_core(folder: &Path) -> PathBuf {
    folder.join("axe-core/axe.min.js")
}

fn distinct(paths: impl Iterator<Item = PathBuf>) -> Vec<PathBuf> {
    let mut seen = Vec::new();
    for path in paths {
        if !seen.contains(&path) {
            seen.push(path);
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn shown(paths: &[PathBuf]) -> Vec<&str> {
        paths.iter().map(|path| path.to_str().unwrap()).collect()
    }

    #[test]
    fn axe_core_is_looked_for_with_the_program_then_in_shared_folders_then_in_the_current_one() {
        let places = Places {
            executable: Some("/opt/a11ycheck/bin/a11ycheck-server".into()),
            current: Some("/srv/site".into()),
            home: Some("/home/ann".into()),
            ..Places::default()
        };
        assert_eq!(
            shown(&places.axe()),
            [
                "/opt/a11ycheck/bin/axe.min.js",
                "/opt/a11ycheck/share/a11ycheck/axe.min.js",
                "/home/ann/.local/share/a11ycheck/axe.min.js",
                "/usr/local/share/a11ycheck/axe.min.js",
                "/usr/share/a11ycheck/axe.min.js",
                "/home/ann/.local/share/javascript/axe-core/axe.min.js",
                "/home/ann/.local/share/nodejs/axe-core/axe.min.js",
                "/usr/local/share/javascript/axe-core/axe.min.js",
                "/usr/local/share/nodejs/axe-core/axe.min.js",
                "/usr/share/javascript/axe-core/axe.min.js",
                "/usr/share/nodejs/axe-core/axe.min.js",
                "/srv/site/node_modules/axe-core/axe.min.js",
                "/srv/node_modules/axe-core/axe.min.js",
                "/node_modules/axe-core/axe.min.js",
            ]
        );
    }

    #[test]
    fn the_variables_for_shared_folders_count_and_relative_ones_do_not() {
        let places = Places {
            home: Some("/home/ann".into()),
            data_home: Some("/data/ann".into()),
            data_dirs: Some("relative:/opt/share:/usr/share".into()),
            ..Places::default()
        };
        let axe = places.axe();
        let of_package: Vec<_> = shown(&axe).into_iter().filter(|path| path.contains("/a11ycheck/")).collect();
        assert_eq!(
            of_package,
            [
                "/data/ann/a11ycheck/axe.min.js",
                "/opt/share/a11ycheck/axe.min.js",
                "/usr/share/a11ycheck/axe.min.js",
                "/usr/local/share/a11ycheck/axe.min.js",
            ]
        );
    }

    #[test]
    fn a_program_in_usr_bin_looks_once_into_each_shared_folder() {
        let places = Places { executable: Some("/usr/bin/a11ycheck-server".into()), ..Places::default() };
        let axe = places.axe();
        assert_eq!(axe[..2], [PathBuf::from("/usr/bin/axe.min.js"), "/usr/share/a11ycheck/axe.min.js".into()]);
        assert_eq!(axe.iter().filter(|path| path.starts_with("/usr/share/a11ycheck")).count(), 1);
    }

    #[test]
    fn browsers_of_playwright_and_puppeteer_are_found_the_newest_first() {
        let home = tempfile::tempdir().unwrap();
        let put = |path: &str| {
            let file = home.path().join(".cache").join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, "").unwrap();
            file
        };
        let old = put("ms-playwright/chromium_headless_shell-999/chrome-linux/headless_shell");
        let new = put("ms-playwright/chromium_headless_shell-1208/chrome-linux/headless_shell");
        let whole = put("ms-playwright/chromium-1208/chrome-linux/chrome");
        let puppeteer = put("puppeteer/chrome/linux-131.0.6778.204/chrome-linux64/chrome");
        put("ms-playwright/firefox-1490/firefox/firefox");
        let places = Places { home: Some(home.path().to_owned()), ..Places::default() };
        assert_eq!(places.cached_browsers(), [new, old, whole, puppeteer]);
        let elsewhere = Places { playwright: Some("/nowhere".into()), ..places };
        assert_eq!(elsewhere.cached_browsers().len(), 1, "the variables of the two tools count");
    }

    #[test]
    fn a_browser_is_found_without_a_path_and_the_light_shell_goes_first_wherever_it_is() {
        let folders = BrowserPlaces {
            folders: ["/usr/local/bin", "/usr/bin", "/snap/bin"].map(PathBuf::from).into(),
            files: PROGRAMS.map(PathBuf::from).into(),
        };
        assert_eq!(Places::default().browsers(), folders);

        let path = Places { path: Some("/usr/bin::relative:/opt/bin".into()), ..Places::default() };
        assert_eq!(shown(&path.browsers().folders), ["/usr/bin", "/opt/bin", "/usr/local/bin", "/snap/bin"]);

        let machine = tempfile::tempdir().unwrap();
        let folder = |name: &str| {
            let folder = machine.path().join(name);
            fs::create_dir(&folder).unwrap();
            folder
        };
        let places =
            BrowserPlaces { folders: vec![folder("a"), folder("b")], files: vec![machine.path().join("chrome")] };
        assert_eq!(places.first(), None);
        for better in ["chrome", "b/google-chrome", "a/google-chrome", "b/chromium", "b/chromium-headless-shell"] {
            fs::write(machine.path().join(better), "").unwrap();
            assert_eq!(places.first(), Some(machine.path().join(better)));
        }
    }
}
