# Has cargo-deny compare what we depend on with deny.toml: licences, banned crates, sources, advisories. Run in the workspace's folder.
#
# $1: cargo-deny. $2: the seconds within which the database of advisories has to arrive. It is a git repository of some 20 MB; where a
# firewall swallows what is asked of it, nothing ever comes.
#
# Advisories are left out where the database of the RustSec project can't be had: it is not in a registry of packages, and not every
# machine reaches it. Standard output then has one line that says so. Everything for people is on standard error.
set -eu
program=$1 patience=$2

deny() {
    echo "    running cargo-deny --workspace --locked $*" >&2
    "$program" --workspace --locked "$@" >&2 || {
        echo 'error: do without the crate that is named above, update it, or allow it in deny.toml, with the reason' >&2
        exit 1
    }
}

skipped() {
    echo "ADVISORIES AND YANKED RELEASES WERE NOT CHECKED: the database of RustSec (https://github.com/RustSec/advisory-db)" \
        "could not be fetched: $1. \`cargo xtask deny\` checks them where it can be"
}

deny check bans licenses sources

echo "    running cargo-deny --workspace --locked fetch db" >&2
# `timeout` ends git, too, which cargo-deny has fetch the database.
status=0
timeout --kill-after=5 "$patience" "$program" --workspace --locked fetch db >&2 || status=$?
case $status in
    # Without `--offline` it would fetch the database once more, and nothing would bound that.
    0) deny --offline check advisories ;;
    124 | 137) skipped "it did not arrive within $patience seconds" ;;
    *) skipped "cargo-deny ended with exit status: $status" ;;
esac
