//! The proxies of others that tests put in front of servers: nginx.

use std::path::PathBuf;

use crate::apt::Apt;
use crate::error::Error;
use crate::machine::Machine;
use crate::program;

/// Program and Debian's package of it.
const NGINX: (&str, &str) = ("nginx", "nginx");

/// Finds nginx, or installs it. The tests look for it in the same places.
///
/// # Errors
///
/// [`Error::ToolMissing`], and those of [`Apt::install`].
pub(crate) fn ensure(machine: &Machine, apt: Option<&mut Apt<'_>>) -> Result<PathBuf, Error> {
    let (program, package) = NGINX;
    if let Some(found) = machine.daemon(program) {
        return Ok(found);
    }
    program::install(apt, program, package)?;
    machine.daemon(program).ok_or(Error::ToolMissing { program, package })
}

#[cfg(test)]
mod tests {
    use crate::fixture::Bench;

    use super::*;

    #[test]
    fn nginx_is_installed_once() {
        let bench = Bench::debian();
        let machine = bench.machine();
        let first = ensure(&machine, Apt::find(&machine).as_mut()).unwrap();
        assert_eq!(first, bench.programs().join("nginx"));
        let apt = bench.log("apt-get");
        assert_eq!(ensure(&machine, Apt::find(&machine).as_mut()).unwrap(), first);
        assert_eq!(bench.log("apt-get"), apt);
    }

    #[test]
    fn a_daemon_is_found_though_no_user_has_it_in_their_path() {
        let bench = Bench::new();
        bench.add("nginx", "says-nothing");
        let machine = Machine { path: "/nowhere".into(), ..bench.machine() };
        assert_eq!(ensure(&machine, None).unwrap(), bench.programs().join("nginx"));
    }

    #[test]
    fn without_a_package_installer_the_error_names_the_package() {
        let error = ensure(&Bench::new().machine(), None).unwrap_err().to_string();
        assert!(error.contains("nginx"), "{error}");
    }
}
