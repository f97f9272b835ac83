# Makes the user as whom `cargo xtask serve` runs the server where root calls it, and what that user needs. Run by root.
#
# $1: the user. $2: a folder for copies of the server and of axe-core, which may lie where nobody but root can look, and for what the
# server keeps. $3: the server. $4: axe-core.
#
# Where that can't be done, standard output has one line, the reason. Everything else for people is on standard error.
set -eu
name=$1 folder=$2 server=$3 axe=$4
state=$folder/state key=$folder/state/sealing.key
PATH=$PATH:${SETUP_SYSTEM_ROOT:-}/usr/sbin:${SETUP_SYSTEM_ROOT:-}/usr/local/sbin

fail() {
    echo "$*"
    exit 1
}

must() {
    status=0
    "$@" >&2 || status=$?
    [ "$status" = 0 ] || fail "\`$*\` ended with exit status: $status"
}

command -v setpriv >/dev/null || fail 'setpriv, which runs it as another user, is not installed (package util-linux)'
if ! id -u "$name" >/dev/null 2>&1; then
    echo "==> Making the user $name, as whom the server runs: Chromium's sandbox does not work for root" >&2
    must useradd --system --user-group --no-create-home --shell /usr/sbin/nologin --home-dir "$state" "$name"
fi
must install -d -m 755 -o root -g root "$folder" "$folder/bin"
must install -d -m 700 -o "$name" -g "$name" "$state"
# It replaces files, and does not write into them: a server that runs keeps its own.
must install -m 755 -o root -g root "$server" "$folder/bin/a11ycheck-server"
must install -m 644 -o root -g root "$axe" "$folder/bin/axe.min.js"

# The key that secrets are sealed with, which root may have made, in a run without the sandbox or before there was this user.
of_root=${XDG_STATE_HOME:-${HOME:-/root}/.local/state}/a11ycheck/sealing.key
if [ -e "$key" ] || [ -L "$key" ]; then
    # Nothing is given away but a file that has no second name: the user could have made a link to another one.
    [ -n "$(find "$key" -type f -links 1)" ] || fail "$key is not a file of its own"
    must chown --no-dereference "$name:$name" "$key"
elif [ -f "$of_root" ]; then
    echo "    copying $of_root, which opens what was sealed before" >&2
    must install -m 600 -o "$name" -g "$name" "$of_root" "$key"
fi
