//! Programs that others wrote: `xtask/tools/install.sh` says which, and finds or installs them.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::command::answer;
use crate::error::Error;
use crate::machine::{Attendance, Machine};

const INSTALL: &str = "xtask/tools/install.sh";

/// The groups that a server needs.
pub(crate) const OF_SERVER: [&str; 3] = ["browser", "axe", "compile"];
/// The groups of `cargo xtask setup`: those of a server, and the programs without which few tests run.
pub(crate) const OF_SETUP: [&str; 5] = ["browser", "axe", "compile", "postgres", "sites"];
/// The groups that `cargo test` needs beside those of set-up.
pub(crate) const OF_TESTS: [&str; 5] = ["pdf", "exports", "neighbours", "clients", "monitoring"];

/// Variables that say where the programs are.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Tools(Vec<(String, String)>);

impl Tools {
    /// The file that a variable names. One that the script has forgotten does not start.
    pub(crate) fn path(&self, variable: &str) -> PathBuf {
        self.0.iter().find(|(name, _)| name == variable).map_or_else(|| variable.into(), |(_, value)| value.into())
    }

    /// The browser's program.
    pub(crate) fn chromium(&self) -> PathBuf {
        self.path("A11YCHECK_CHROMIUM")
    }

    /// Sets the variables for a program.
    pub(crate) fn pass_to<'command>(&self, command: &'command mut Command) -> &'command mut Command {
        command.envs(self.0.iter().map(|(name, value)| (name, value)))
    }
}

/// Finds the programs of these groups or installs them, and Debian's packages where there is `apt-get`.
///
/// # Errors
///
/// [`Error::Failed`] when the script fails, and [`Error::Start`].
pub(crate) fn ensure(machine: &Machine, groups: &[&str]) -> Result<Tools, Error> {
    let mut script = machine.script(INSTALL);
    script.arg("--packages");
    if machine.attendance == Attendance::Attended {
        script.arg("--ask").stdin(Stdio::inherit());
    }
    Ok(Tools(answer(script.args(groups))?.lines().filter_map(variable).collect()))
}

/// Reads `export NAME='value'`.
fn variable(line: &str) -> Option<(String, String)> {
    let (name, value) = line.strip_prefix("export ")?.split_once('=')?;
    Some((name.to_owned(), value.strip_prefix('\'')?.strip_suffix('\'')?.to_owned()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::Value;

    use crate::fixture::{Bench, program};

    use super::*;

    fn chromium_of(machine: &Machine) -> Result<PathBuf, Error> {
        ensure(machine, &["browser"]).map(|tools| tools.chromium())
    }

    fn axe_of(machine: &Machine) -> Result<PathBuf, Error> {
        ensure(machine, &["axe"]).map(|tools| tools.path("A11YCHECK_AXE"))
    }

    fn postgres_of(machine: &Machine) -> Result<PathBuf, Error> {
        ensure(machine, &["postgres"]).map(|tools| tools.path("POSTGRES_PROGRAMS"))
    }

    /// Returns the script's words about its failure.
    fn complaint(machine: &Machine, group: &str) -> String {
        let output = machine.script(INSTALL).args(["--packages", group]).output().unwrap();
        assert!(!output.status.success() && output.stdout.is_empty());
        String::from_utf8(output.stderr).unwrap()
    }

    fn with_font() -> Bench {
        let bench = Bench::new();
        bench.add_font();
        bench
    }

    #[test]
    fn a_bare_debian_is_set_up_whole_and_the_second_time_nothing_is_done() {
        let bench = Bench::debian();
        let first = ensure(&bench.machine(), &OF_SERVER).unwrap();
        assert_eq!(first.chromium(), bench.programs().join("chromium-headless-shell"));
        assert!(first.path("A11YCHECK_AXE").is_file());
        let (apt, npm) = (bench.log("apt-get"), bench.log("npm"));
        assert_eq!(apt.len(), 6, "the lists, a browser, certificate authorities, a font, npm and make: {apt:?}");

        assert_eq!(ensure(&bench.machine(), &OF_SERVER).unwrap(), first);
        assert_eq!((bench.log("apt-get"), bench.log("npm")), (apt, npm));
    }

    #[test]
    fn the_tests_need_a_database_too_and_a_server_needs_none() {
        let bench = Bench::debian();
        ensure(&bench.machine(), &OF_SERVER).unwrap();
        assert!(!bench.log("apt-get").iter().any(|line| line.ends_with(" postgresql")));
        let first = ensure(&bench.machine(), &OF_SETUP).unwrap();
        let apt = bench.log("apt-get");
        for package in ["postgresql", "libnss3-tools"] {
            assert!(apt.iter().any(|line| line.ends_with(&format!(" {package}"))), "{apt:?}");
        }
        assert_eq!(ensure(&bench.machine(), &OF_SETUP).unwrap(), first);
        assert_eq!(bench.log("apt-get"), apt);
    }

    #[test]
    fn a_value_may_hold_spaces() {
        let tools = ensure(&with_font().machine_with("DATABASE_URL", "given"), &["postgres", "pdf"]).unwrap();
        assert_eq!(tools.0, [("A11YCHECK_POOLER".to_owned(), "/with a space/pgbouncer".to_owned())]);
    }

    #[test]
    fn a_group_that_does_not_exist_is_refused() {
        assert!(
            complaint(&Bench::new().machine(), "-x").contains("is no group: name some of browser axe compile postgres")
        );
    }

    #[test]
    fn the_lists_are_fetched_once_for_all_packages() {
        let bench = Bench::debian();
        bench.add("chromium", "chromium");
        ensure(&bench.machine(), &["browser", "postgres"]).unwrap();
        assert_eq!(
            bench.log("apt-get"),
            [
                "-o DPkg::Lock::Timeout=300 update",
                "-o DPkg::Lock::Timeout=300 install -y --no-install-recommends fonts-dejavu-core",
                "-o DPkg::Lock::Timeout=300 install -y --no-install-recommends postgresql",
            ]
        );
    }

    #[test]
    fn without_a_terminal_sudo_never_waits_for_a_password() {
        for (attendance, never_waits) in [(Attendance::Unattended, true), (Attendance::Attended, false)] {
            let bench = Bench::debian();
            bench.become_user("id-user");
            bench.add("sudo", "sudo");
            ensure(&Machine { attendance, ..bench.machine() }, &["browser"]).unwrap();
            let log = bench.log("sudo");
            assert!(log.len() > 1 && log.iter().all(|line| line.starts_with("-n ") == never_waits), "{log:?}");
        }
    }

    #[test]
    fn an_ordinary_user_without_sudo_is_told_what_to_run_as_root() {
        let bench = Bench::debian();
        bench.become_user("id-user");
        let complaint = complaint(&bench.machine(), "browser");
        let command = "run `apt-get install --no-install-recommends chromium-headless-shell ca-certificates fonts-dejavu-core` as root";
        assert!(complaint.contains(command), "{complaint}");
        assert_eq!(bench.log("apt-get"), [] as [&str; 0]);
    }

    #[test]
    fn a_package_that_can_not_be_installed_is_an_error_that_names_it() {
        let bench = Bench::debian();
        bench.withhold("postgresql");
        let complaint = complaint(&bench.machine(), "postgres");
        assert!(complaint.contains("error: postgresql could not be installed"), "{complaint}");
    }

    #[test]
    fn what_is_still_missing_after_it_was_installed_is_an_error() {
        let bench = Bench::debian();
        bench.add("fc-list", "fc-list");
        let error = ensure(&bench.machine(), &["browser"]).unwrap_err();
        assert!(matches!(error, Error::Failed { .. }) && error.to_string().contains("reported above"), "{error}");
        assert!(bench.log("apt-get").last().unwrap().ends_with(" fonts-dejavu-core"));
        assert_eq!(bench.log("apt-get").len(), 4, "each was installed once");
    }

    /// What is missing is looked for before packages are installed, and they are installed once: a part of LibreOffice that is asked for
    /// only where another part is there would stop set-up on every new machine.
    #[test]
    fn a_machine_without_libreoffice_is_asked_for_each_part_of_it() {
        let output = Bench::new().machine().script("xtask/tools/itself.sh").arg("exports").output().unwrap();
        let complaint = String::from_utf8(output.stderr).unwrap();
        for package in ["libreoffice-calc-nogui", "libreoffice-writer-nogui"] {
            assert!(!output.status.success() && complaint.contains(package), "{complaint}");
        }
    }

    #[test]
    fn without_a_package_installer_the_script_has_said_what_to_install() {
        for (group, hints) in [
            ("browser", &["package chromium-headless-shell", "fonts-dejavu-core", "A11YCHECK_CHROMIUM"][..]),
            ("axe", &["npm"]),
            ("compile", &["package make"]),
            ("postgres", &["package postgresql", "DATABASE_URL"]),
            ("sites", &["libnss3-tools", "tinyproxy"]),
        ] {
            let complaint = complaint(&Bench::new().machine(), group);
            assert!(hints.iter().all(|hint| complaint.contains(hint)), "{complaint}");
            assert!(complaint.contains("error: install Debian's packages"), "{complaint}");
        }
    }

    #[test]
    fn the_light_shell_is_preferred_to_the_whole_browser() {
        let bench = with_font();
        for name in ["google-chrome", "chromium", "chromium-headless-shell"] {
            bench.add(name, "chromium");
        }
        assert_eq!(chromium_of(&bench.machine()).unwrap(), bench.programs().join("chromium-headless-shell"));
    }

    #[test]
    fn a_browser_that_does_not_run_is_passed_over() {
        let bench = with_font();
        bench.add("chromium", "snap-pointer");
        fs::write(bench.programs().join("chromium-browser"), "text").unwrap();
        bench.add("google-chrome", "chromium");
        assert_eq!(chromium_of(&bench.machine()).unwrap(), bench.programs().join("google-chrome"));
    }

    #[test]
    fn the_configured_browser_is_used_even_if_a_better_one_is_there() {
        let bench = with_font();
        bench.add("chromium-headless-shell", "chromium");
        bench.add("my-chromium", "chromium");
        for (configured, found) in
            [(program("chromium"), program("chromium")), ("my-chromium".into(), bench.programs().join("my-chromium"))]
        {
            assert_eq!(chromium_of(&bench.machine_with("A11YCHECK_CHROMIUM", configured)).unwrap(), found);
        }
    }

    #[test]
    fn a_configured_browser_that_does_not_run_is_never_replaced_silently() {
        let bench = Bench::debian();
        bench.add("chromium-headless-shell", "chromium");
        for (configured, reason) in [
            (PathBuf::from("/nowhere/chromium"), "127"),
            (program("fails"), "exit status: 3"),
            (program("snap-pointer"), "snap install chromium"),
            (program("not-a-browser"), "named no version of a browser: cat (GNU coreutils)"),
            (program("endless"), "exit status"),
        ] {
            let complaint = complaint(&bench.machine_with("A11YCHECK_CHROMIUM", &configured), "browser");
            assert!(complaint.contains(&*configured.to_string_lossy()) && complaint.contains(reason), "{complaint}");
        }
        assert_eq!(bench.log("apt-get"), [] as [&str; 0]);
    }

    #[test]
    fn where_the_light_shell_is_not_packaged_chromium_is_installed() {
        let bench = Bench::debian();
        bench.withhold("chromium-headless-shell");
        assert_eq!(chromium_of(&bench.machine()).unwrap(), bench.programs().join("chromium"));
    }

    #[test]
    fn an_installed_pointer_to_a_snap_is_explained() {
        let bench = Bench::debian();
        bench.withhold("chromium-headless-shell");
        bench.add("chromium", "snap-pointer");
        let complaint = complaint(&bench.machine(), "browser");
        assert!(complaint.contains("only points to a snap"), "{complaint}");
    }

    #[test]
    fn a_font_file_is_found_without_fontconfig_and_else_fontconfig_decides() {
        let bench = with_font();
        bench.add("chromium", "chromium");
        chromium_of(&bench.machine()).unwrap();
        // It knows one font, which has no letters.
        bench.add("fc-list", "fc-list");
        assert!(complaint(&bench.machine(), "browser").contains("fonts-dejavu-core"));
        assert_eq!(bench.log("fc-list"), [":lang=en:lang=uk:lang=de:lang=pl:lang=cs:lang=ro:lang=ru"]);
    }

    #[test]
    fn this_repository_pins_an_exact_version_of_axe_core_with_its_checksum() {
        let root = Machine::here().root;
        let manifest: Value = serde_json::from_slice(&fs::read(root.join("package.json")).unwrap()).unwrap();
        let lock: Value = serde_json::from_slice(&fs::read(root.join("package-lock.json")).unwrap()).unwrap();
        let package = &lock["packages"]["node_modules/axe-core"];
        assert_eq!(manifest["dependencies"]["axe-core"], package["version"]);
        assert!(package["integrity"].as_str().unwrap().starts_with("sha512-"));
        assert!(package.get("resolved").is_none(), "the lock must hold behind any registry");
        let notices = fs::read_to_string(root.join("NOTICES.md")).unwrap();
        let named = format!("axe-core ({})", package["license"].as_str().unwrap());
        assert!(notices.contains(&named), "npm names another licence than NOTICES.md: {named}");
    }

    #[test]
    fn the_pinned_version_of_this_repository_is_the_one_that_the_script_reads() {
        let bench = Bench::new();
        let lock = fs::read_to_string(Machine::here().root.join("package-lock.json")).unwrap();
        fs::write(bench.root().join("package-lock.json"), &lock).unwrap();
        let lock: Value = serde_json::from_str(&lock).unwrap();
        bench.add_axe(lock["packages"]["node_modules/axe-core"]["version"].as_str().unwrap(), "axe.min.js");
        assert!(axe_of(&bench.machine()).unwrap().is_file());
    }

    #[test]
    fn the_pinned_version_is_installed_once() {
        let bench = Bench::new();
        bench.add("npm", "npm");
        let first = axe_of(&bench.machine()).unwrap();
        assert!(first.is_file());
        assert_eq!(axe_of(&bench.machine()).unwrap(), first);
        assert_eq!(bench.log("npm"), ["ci --ignore-scripts --no-fund"]);
    }

    #[test]
    fn another_version_or_a_torn_installation_is_replaced() {
        for (version, script) in [("4.10.0", "axe.min.js"), ("4.14.1", "axe.js")] {
            let bench = Bench::new();
            bench.add("npm", "npm");
            bench.add_axe(version, script);
            axe_of(&bench.machine()).unwrap();
            assert_eq!(bench.log("npm").len(), 1, "{version} {script}");
        }
    }

    #[test]
    fn npm_that_fails_or_installs_nothing_is_an_error() {
        for (fixture, reason) in [("fails", "`npm ci` failed"), ("says-nothing", "axe-core 4.14.1 is not in ")] {
            let bench = Bench::new();
            bench.add("npm", fixture);
            let complaint = complaint(&bench.machine(), "axe");
            assert!(complaint.contains(reason), "{complaint}");
        }
    }

    #[test]
    fn a_configured_script_needs_no_npm() {
        let bench = Bench::new();
        bench.add_axe("4.10.0", "axe.min.js");
        let script = bench.root().join("node_modules/axe-core/axe.min.js");
        assert_eq!(axe_of(&bench.machine_with("A11YCHECK_AXE", &script)).unwrap(), script);
        let complaint = complaint(&bench.machine_with("A11YCHECK_AXE", "/nowhere/axe.min.js"), "axe");
        assert!(complaint.contains("/nowhere/axe.min.js"), "{complaint}");
    }

    #[test]
    fn a_lock_without_axe_core_is_an_error() {
        for text in ["{}", "not json"] {
            let bench = Bench::new();
            fs::write(bench.root().join("package-lock.json"), text).unwrap();
            assert!(complaint(&bench.machine(), "axe").contains("git checkout -- package-lock.json"));
        }
    }

    #[test]
    fn the_newest_installed_version_of_postgresql_is_used() {
        let bench = Bench::debian();
        bench.add_postgres("9");
        bench.add_postgres("15");
        let newest = bench.add_postgres("100");
        assert_eq!(postgres_of(&bench.machine()).unwrap(), newest);
    }

    #[test]
    fn a_version_of_postgresql_that_is_too_old_is_passed_over() {
        let bench = Bench::new();
        bench.add_postgres("13");
        assert!(complaint(&bench.machine(), "postgres").contains("PostgreSQL 14 or later"));
    }

    #[test]
    fn programs_of_postgresql_in_the_path_will_do() {
        let bench = Bench::new();
        bench.add("initdb", "initdb");
        bench.add("pg_ctl", "pg_ctl");
        assert_eq!(postgres_of(&bench.machine()).unwrap(), bench.programs());
    }

    #[test]
    fn on_debian_postgresql_is_installed() {
        assert!(postgres_of(&Bench::debian().machine()).unwrap().ends_with("17/bin"));
    }

    #[test]
    fn the_address_of_a_database_may_hold_a_password_and_is_not_shown() {
        let bench = Bench::new();
        let machine = bench.machine_with("DATABASE_URL", "postgres://given");
        let output = machine.script(INSTALL).arg("postgres").output().unwrap();
        assert!(output.status.success());
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("DATABASE_URL") && !said.contains("given"), "{said}");
    }

    fn pins(name: &str) -> Vec<String> {
        let text =
            fs::read_to_string(Machine::here().root.join("xtask/tools").join(name)).unwrap().replace("\\\n", " ");
        text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).map(str::to_owned).collect()
    }

    #[test]
    fn this_repository_pins_every_package_and_names_no_place_of_one_machine() {
        for name in ["pdf-validator.txt", "markdown-reader.txt", "s3-server.txt"] {
            let pins = pins(name);
            assert!(
                !pins.is_empty() && pins.iter().all(|pin| pin.contains("==") && pin.contains(" --hash=sha256:")),
                "{name}"
            );
        }
        for name in ["schemathesis.txt", "python-client.txt"] {
            let pins = pins(name);
            assert!(!pins.is_empty() && pins.iter().all(|pin| pin.split_once("==").is_some()), "{name}");
        }
        let [checksum] = &pins("openacr.sha512")[..] else { panic!("one package") };
        assert_eq!(checksum.find("  "), Some(128), "{checksum}");
        for name in ["clients", "pages", "peers"] {
            let lock = fs::read(Machine::here().root.join("xtask/tools").join(name).join("package-lock.json")).unwrap();
            let lock: Value = serde_json::from_slice(&lock).unwrap();
            let packages = lock["packages"].as_object().unwrap().iter().filter(|(path, _)| !path.is_empty());
            for (path, package) in packages {
                assert!(package["integrity"].is_string() && package.get("resolved").is_none(), "{name}: {path}");
            }
        }
    }

    #[test]
    fn the_scripts_are_understood_by_a_shell_that_knows_no_more_than_posix() {
        let root = Machine::here().root;
        for script in [
            INSTALL,
            "xtask/tools/deny.sh",
            "xtask/tools/schemathesis.sh",
            "xtask/tools/service-user.sh",
            "xtask/bare/bare.sh",
            "xtask/bare/debian.sh",
            "xtask/src/postgres.sh",
        ] {
            assert!(Command::new("sh").arg("-n").arg(root.join(script)).status().unwrap().success(), "{script}");
        }
    }
}
