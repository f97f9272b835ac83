//! `cargo xtask package …`: a Debian package and an OCI image of the server, by the scripts in `xtask/tools/package`.

use std::path::{Path, PathBuf};

use clap::Subcommand;

use crate::command::{answer, run as run_command};
use crate::error::Error;
use crate::machine::Machine;
use crate::{serve, tools};

/// What is built.
#[derive(Debug, Clone, Copy, Subcommand)]
pub(crate) enum Package {
    /// The Debian package a11ycheck-server
    Deb {
        /// Then install, use, upgrade, remove and purge it in a bare Debian that systemd runs; as root, some five minutes
        #[arg(long)]
        prove: bool,
    },
    /// An OCI image, from the same package; as root
    Image {
        /// Then run it as an unprivileged user, without capabilities, on a read-only file system, and have a site checked
        #[arg(long)]
        prove: bool,
    },
}

/// Builds the server for release, and the package from it. The path of what was built is the last line of standard error.
///
/// # Errors
///
/// Those of [`tools::ensure`], [`serve::build_release`] and [`command::run`](run_command).
pub(crate) fn run(machine: &Machine, package: Package) -> Result<(), Error> {
    let mut groups = vec!["axe", "compile", "package"];
    match package {
        Package::Deb { prove: false } => {}
        Package::Deb { prove: true } => groups.push("prove"),
        Package::Image { .. } => groups.push("image"),
    }
    let tools = tools::ensure(machine, &groups)?;
    let server = serve::build_release(machine)?;
    let folder = machine.root.join("target/package");
    let deb = script(machine, "deb.sh", &[&server, &tools.path("A11YCHECK_AXE"), &folder])?;
    let made = match package {
        Package::Deb { prove: false } => deb,
        Package::Deb { prove: true } => {
            run_command(machine.script("xtask/tools/package/prove.sh").arg(&deb))?;
            deb
        }
        Package::Image { prove } => {
            let image = script(machine, "image.sh", &[&deb, &folder])?;
            if prove {
                run_command(machine.script("xtask/tools/package/prove-image.sh").arg(&image))?;
            }
            image
        }
    };
    eprintln!("==> {}", made.display());
    Ok(())
}

/// Runs a script that names what it has made on standard output.
fn script(machine: &Machine, name: &str, arguments: &[&Path]) -> Result<PathBuf, Error> {
    let mut command = machine.script(&format!("xtask/tools/package/{name}"));
    Ok(answer(command.args(arguments))?.trim_end().into())
}

#[cfg(test)]
mod tests {
    use crate::fixture::Bench;

    use super::*;

    fn bench() -> Bench {
        let bench = Bench::debian();
        bench.add("cargo", "cargo");
        bench.add_axe("4.14.1", "axe.min.js");
        for tool in ["dpkg-deb", "dh", "mmdebstrap", "umoci", "skopeo", "jq", "runc", "debootstrap", "systemd-nspawn"] {
            bench.add(tool, "says-nothing");
        }
        bench
    }

    #[test]
    fn the_package_is_made_from_the_release_and_the_axe_core_that_is_pinned() {
        let bench = bench();
        run(&bench.machine(), Package::Deb { prove: false }).unwrap();
        let axe = bench.root().join("node_modules/axe-core/axe.min.js");
        let folder = bench.root().join("target/package");
        assert_eq!(bench.log("deb.sh"), [format!("/bin/true {} {}", axe.display(), folder.display())]);
        assert!(bench.log("prove.sh").is_empty() && bench.log("image.sh").is_empty());
    }

    #[test]
    fn what_is_proven_is_the_package_that_was_made() {
        let bench = bench();
        run(&bench.machine(), Package::Deb { prove: true }).unwrap();
        assert_eq!(bench.log("prove.sh"), ["/made/by/deb.sh"]);
    }

    #[test]
    fn the_image_is_made_from_the_package() {
        let bench = bench();
        run(&bench.machine(), Package::Image { prove: true }).unwrap();
        assert_eq!(bench.log("image.sh"), [format!("/made/by/deb.sh {}/target/package", bench.root().display())]);
        assert_eq!(bench.log("prove-image.sh"), ["/made/by/image.sh"]);
    }

    #[test]
    fn a_walk_that_fails_fails_the_command() {
        let bench = bench();
        bench.withhold("prove.sh");
        assert!(matches!(run(&bench.machine(), Package::Deb { prove: true }).unwrap_err(), Error::Failed { .. }));
    }

    #[test]
    fn what_does_not_compile_is_not_packed() {
        let bench = bench();
        bench.withhold("build");
        assert!(matches!(run(&bench.machine(), Package::Deb { prove: false }).unwrap_err(), Error::Failed { .. }));
        assert_eq!(bench.log("deb.sh"), [] as [&str; 0]);
    }
}
