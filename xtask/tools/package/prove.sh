# Shows that the package does what it says: installs it in a bare Debian, where systemd starts the service as its own user with the
# browser's sandbox on, has a site checked, stops and starts, upgrades, removes and purges.
#
#     sh xtask/tools/package/prove.sh PACKAGE
#
# Run by root. The Debian is a folder below the package's, with systemd in namespaces of its own (systemd-nspawn) and no network but
# its loopback; `walk.sh` is what is done in it. Its lines are on standard output; nothing is left, however this ends.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
package=$1
begun=$(date +%s)

say() {
    echo "==> $*" >&2
}

fail() {
    echo "error: $*" >&2
    exit 1
}

[ "$(id -u)" = 0 ] || fail 'only root can make a bare Debian: become root with this user'\''s PATH and HOME, as' \
    '`sudo --preserve-env=PATH,HOME` does, then run this command again'
[ -f "$package" ] || fail "$package is no file"

work=$(cd "$(dirname "$package")" && pwd)
folder=$(mktemp -d "$work/prove-XXXXXX")
# Both are root folders of others than root.
chmod 755 "$folder"
debian=$folder/debian running=''

stop() {
    if [ -n "$running" ]; then
        kill -KILL "$running" 2>/dev/null || true
        wait "$running" 2>/dev/null || true
    fi
    # What was just killed may still write for a moment.
    for _ in 1 2 3 4 5; do
        if rm -rf "$folder" 2>/dev/null; then return; fi
        sleep 1
    done
    rm -rf "$folder"
}
trap stop EXIT
trap 'exit 1' HUP INT TERM

# A copy, at the same path, of what is there.
copy() {
    if [ -e "$1" ]; then
        mkdir -p "$(dirname "$debian$1")"
        cp -RLn "$1" "$(dirname "$debian$1")/"
    fi
}

# The Debian with what the package depends on, and without the package.
make_debian() {
    . /etc/os-release
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "Codename: $VERSION_CODENAME" 'Component: main' |
        head -n 1)
    say "Making a bare $NAME $VERSION_CODENAME with systemd"
    # busybox serves the site that is checked, curl asks the API, procps names the processes of a user.
    debootstrap --variant=minbase --include=busybox,ca-certificates,curl,dbus,procps,systemd,systemd-sysv "$VERSION_CODENAME" "$debian" "$mirror" \
        >"$folder/log" 2>&1 || { tail -n 20 "$folder/log" >&2; fail 'debootstrap could not make the Debian: see above'; }
    rm -f "$debian/etc/apt/sources.list"
    for name in sources.list sources.list.d apt.conf apt.conf.d preferences preferences.d auth.conf auth.conf.d keyrings \
        trusted.gpg trusted.gpg.d; do
        copy "/etc/apt/$name"
    done
    for file in /usr/share/keyrings /usr/local/share/ca-certificates; do
        copy "$file"
    done
    say 'Installing what the package depends on'
    inside --bind-ro=/etc/resolv.conf --bind-ro=/etc/hosts --setenv=DEBIAN_FRONTEND=noninteractive \
        sh -euc 'apt-get update; apt-get satisfy -y --no-install-recommends "$1"; apt-get clean' sh "$(dpkg-deb --field "$package" Depends)" \
        >"$folder/log" 2>&1 || { tail -n 20 "$folder/log" >&2; fail 'the dependencies could not be installed: see above'; }
}

inside() {
    systemd-nspawn --quiet --machine="a11ycheck-prove-$$" --register=no --keep-unit --private-users=no --console=pipe --directory="$debian" "$@" </dev/null
}

# A package of the next version, with a line more in its settings file, as a release may bring.
make_next() {
    dpkg-deb --raw-extract "$package" "$folder/next"
    version=$(dpkg-deb --field "$package" Version)
    next="${version%-*}+next-1"
    sed -i "s/^Version: .*/Version: $next/" "$folder/next/DEBIAN/control"
    echo '# A line that the next release brings.' >>"$folder/next/etc/a11ycheck/server.toml"
    dpkg-deb -Znone --build "$folder/next" "$debian/root/next.deb" >"$folder/log"
    rm -rf "$folder/next"
}

walk() {
    cp "$package" "$debian/root/first.deb"
    cp "$here/walk.sh" "$debian/root/walk.sh"
    # systemd runs it when everything else is up, and ends with its status.
    cat >"$debian/etc/systemd/system/walk.service" <<'UNIT'
[Unit]
After=multi-user.target
[Service]
Type=oneshot
Environment=LANG=C.UTF-8 HOME=/root DEBIAN_FRONTEND=noninteractive
WorkingDirectory=/root
StandardOutput=file:/root/walk.txt
StandardError=file:/root/walk.err
ExecStart=sh /root/walk.sh
ExecStopPost=sh -c 'systemctl exit "$${EXIT_STATUS:-1}"'
TimeoutStartSec=20min
UNIT
    mkdir -p "$debian/etc/systemd/system/default.target.wants"
    ln -s ../walk.service "$debian/etc/systemd/system/default.target.wants/walk.service"
    rm -f "$debian/etc/systemd/system/getty.target.wants"/*
    say 'Starting it, without a network'
    inside --private-network --boot >"$folder/console.txt" 2>&1 &
    running=$!
    status=0
    wait "$running" || status=$?
    running=''
    cat "$debian/root/walk.txt" 2>/dev/null || true
    if [ "$status" != 0 ]; then
        cat "$debian/root/walk.err" >&2 2>/dev/null || tail -n 20 "$folder/console.txt" >&2
        fail "the walk ended with status $status: the last line above says at what"
    fi
}

make_debian
make_next
walk
say "$(basename "$package") was installed, used, upgraded, removed and purged; $(($(date +%s) - begun)) s in all"
