# Makes a Debian in a folder, which holds nothing but git and a C compiler, and runs the README's two commands there.
#
# $1: an empty folder. $2: the workspace; its last commit is what is run. $3: the Rust toolchain's folder. $4: cargo's home.
# $5: `commands`, or `first-run` for the two commands of the README's "Check from a terminal", as somebody types them who has Rust and
# nothing else. $6: for that, a registry in a folder, with our packages as they would be published.
# Descriptor 3 is a pipe from the caller, and ends when the caller does.
#
# Of this machine the Debian gets the toolchain and cargo's downloads, which it can't write to, and copies of cargo-deny, of what
# says where packages come from (of apt, npm, pip and cargo) and whom to trust for them. The network is the machine's. The root
# folder is changed by pivot_root, because the system makes no namespaces for processes in a chroot, and the browser's sandbox
# consists of them.
#
# Process 1 of its namespace: when it ends, everything in the Debian is ended, and its mounts are undone.
set -eu
folder=$1 workspace=$2 toolchain=$3 cargo_home=$4 story=${5:-commands} packed=${6:-}
home=${HOME:-/root}
begun=$(date +%s)

say() {
    echo "==> $*" >&2
}

since() {
    echo $(($(date +%s) - $1))
}

# A copy, at the same path unless another is given, of what is there.
copy() {
    if [ -e "$1" ]; then
        mkdir -p "$(dirname "$folder${2:-$1}")"
        cp -RLn "$1" "$(dirname "$folder${2:-$1}")/"
    fi
}

read_only() {
    mkdir -p "$folder$2"
    mount --bind "$1" "$folder$2"
    mount -o remount,bind,ro "$folder$2"
}

make_debian() {
    . /etc/os-release
    release=$VERSION_CODENAME
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "Codename: $release" 'Component: main' | head -n 1)
    say "Making a bare $NAME $release in $folder"
    log=$folder/making.log
    debootstrap --variant=minbase --include=git,gcc,libc6-dev "$release" "$folder" "$mirror" >"$log" 2>&1 ||
        { tail -n 20 "$log" >&2; rm -f "$log"; return 1; }
    rm -f "$log"
    # It was made for its owner alone, and is to be the root folder of all users.
    chmod 755 "$folder"

    # No package may start a server of the system: it would be one of this machine's network.
    printf '#!/bin/sh\nexit 101\n' >"$folder/usr/sbin/policy-rc.d"
    chmod 755 "$folder/usr/sbin/policy-rc.d"
    rm -f "$folder/etc/apt/sources.list"
    for name in sources.list sources.list.d apt.conf apt.conf.d preferences preferences.d auth.conf auth.conf.d keyrings \
        trusted.gpg trusted.gpg.d; do
        copy "/etc/apt/$name"
    done
    for file in /usr/share/keyrings /usr/local/share/ca-certificates /etc/resolv.conf /etc/hosts /etc/pip.conf; do
        copy "$file"
    done
    copy "$home/.npmrc" /root/.npmrc
    copy "$home/.pip" /root/.pip
    copy "$home/.config/pip" /root/.config/pip
    copy "$cargo_home/config.toml" /root/.cargo/config.toml
}

mount_debian() {
    mount -t proc proc "$folder/proc"
    mount -t sysfs -o ro sys "$folder/sys"
    mount -t tmpfs -o mode=755 dev "$folder/dev"
    for device in null zero full random urandom tty; do
        : >"$folder/dev/$device"
        mount --bind "/dev/$device" "$folder/dev/$device"
    done
    mkdir "$folder/dev/shm" "$folder/dev/pts"
    mount -t tmpfs -o mode=1777 shm "$folder/dev/shm"
    mount -t devpts -o newinstance,mode=620,ptmxmode=666 pts "$folder/dev/pts"
    ln -s pts/ptmx "$folder/dev/ptmx"
    ln -s /proc/self/fd "$folder/dev/fd"
    for number in 0/stdin 1/stdout 2/stderr; do
        ln -s "/proc/self/fd/${number%/*}" "$folder/dev/${number#*/}"
    done
    read_only "$toolchain" /opt/rust
    for part in cache index; do
        read_only "$cargo_home/registry/$part" "/root/.cargo/registry/$part"
    done
}

# Nothing of the caller's environment but where packages come from, and whom to trust for them.
inside() (
    for name in $(env | sed -n 's/^\([A-Za-z_][A-Za-z0-9_]*\)=.*/\1/p'); do
        case $name in
            PIP_* | NPM_CONFIG_* | npm_config_* | NODE_EXTRA_CA_CERTS | SSL_CERT_* | REQUESTS_CA_BUNDLE | *_proxy | *_PROXY) ;;
            PATH) ;;
            *) unset "$name" ;;
        esac
    done
    # No login, so nothing else sets these.
    export HOME=/root LANG=C.UTF-8 CARGO_NET_OFFLINE=true
    export PATH=/opt/rust/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
    exec unshare --mount sh -euc '
        mount --rbind "$1" "$1"
        cd "$1"
        # The old root lies on top of the new one then, until it is unmounted (pivot_root(2), "pivot_root(".", ".")").
        pivot_root . .
        umount -l .
        exec sh -c "cd /root/a11ycheck 2>/dev/null || cd /root; $2"
    ' inside "$folder" "$1" 3<&-
)

clone() {
    git -c safe.directory="$workspace" -C "$workspace" bundle create --quiet "$folder/root/a11ycheck.bundle" HEAD
    inside 'git -c advice.detachedHead=false clone --quiet a11ycheck.bundle a11ycheck && rm a11ycheck.bundle'
    copy "$workspace/target/cargo-deny/bin/cargo-deny" /root/a11ycheck/target/cargo-deny/bin/cargo-deny
}

# The lines that the server prints for its user to paste, `curl` with those that a backslash continues.
lines_to_paste() {
    awk '/^ *curl / { on = 1 } on { print } !/\\$/ { on = 0 }' "$1"
}

serve() {
    said=$folder/root/serve.txt
    : >"$said"
    # The port is any: the network is the machine's, where 8080 may be taken. The number of the process is the server's own in
    # the end: that of the job is a shell's, which would end at a signal, and the server would not hear of it.
    inside 'echo $$ >/root/serve.pid; A11YCHECK_LISTEN=127.0.0.1:0 exec cargo xtask serve' >"$said" &
    job=$!
    while ! grep -q 'Ctrl-C stops it' "$said"; do
        kill -0 "$job" 2>/dev/null || { say 'The server ended before it answered'; return 1; }
        sleep 1
    done
    answered=$(since "$1")
    server=$folder/proc/$(cat "$folder/root/serve.pid")
    user=$(sed -n 's/^a11ycheck-dev:[^:]*:\([0-9]*\):.*/\1/p' "$folder/etc/passwd")
    grep -q "^Uid:[[:space:]]${user:-none}[[:space:]]" "$server/status" || { say 'The server is not that of a11ycheck-dev'; return 1; }
    # Where the system lets other users than root make namespaces, the browser has its sandbox.
    if inside 'setpriv --reuid=a11ycheck-dev --regid=a11ycheck-dev --clear-groups -- unshare --user --map-root-user --mount true' &&
        tr '\0' ' ' <"$server/cmdline" | grep -q -e --no-sandbox; then
        say 'The server runs its browser without the sandbox, though the system permits it'
        return 1
    fi
    lines_to_paste "$said" >"$folder/root/paste.sh"
    lines=$(grep -c '^ *curl ' "$folder/root/paste.sh") || { say 'The server printed no line to paste'; return 1; }
    # With the machine's curl, which the Debian lacks.
    sed 's/^ *curl /&--silent --show-error --fail-with-body /' "$folder/root/paste.sh" >"$folder/root/pasted.sh"
    sh -e "$folder/root/pasted.sh" >"$folder/root/answers.txt" || { cat "$folder/root/answers.txt" >&2; return 1; }
    kill -TERM "$(cat "$folder/root/serve.pid")"
    wait "$job" || { say "The server ended with status $? when it was stopped"; return 1; }
}

# The lines of the README's first block below a heading.
readme_block() {
    git -c safe.directory="$workspace" -C "$workspace" show HEAD:README.md |
        awk -v heading="$1" '$0 == heading { on = 1 } on && /^```sh$/ { inside = 1; next } inside && /^```$/ { exit } inside { print }'
}

first_run() {
    make_debian
    mount_debian
    mkdir -p "$folder/opt/registry" "$folder/root/.cargo"
    mount --bind "$packed/registry" "$folder/opt/registry"
    printf '[source.crates-io]\nreplace-with = "packed"\n[source.packed]\ndirectory = "/opt/registry"\n' >"$folder/root/.cargo/config.toml"
    inside 'useradd --create-home somebody && cp -r /root/.cargo/config.toml /root/.npmrc /home/somebody/ 2>/dev/null; apt-get -qq update'
    made=$(since "$begun")
    # A site of this machine, whose network the Debian has.
    mkdir "$folder/srv/site"
    printf '<!doctype html><html lang=en><title>Shop</title><main><h1>Shop</h1><img src="logo.png"></main></html>' >"$folder/srv/site/index.html"
    python3 -u -m http.server --bind 127.0.0.1 --directory "$folder/srv/site" 0 >"$folder/root/site.txt" 2>&1 &
    site=$!
    while ! grep -q 'port [0-9]' "$folder/root/site.txt"; do
        kill -0 "$site" || return 1
        sleep 1
    done
    port=$(sed -n 's/.* port \([0-9]*\) .*/\1/p' "$folder/root/site.txt")
    readme_block '## Check from a terminal' >"$folder/root/commands.txt"
    [ "$(wc -l <"$folder/root/commands.txt")" = 2 ] || { say 'The README has not two commands any more'; return 1; }
    # Nobody asks for a password here; and the browser has its sandbox as an ordinary user alone.
    install=$(sed -n 1p "$folder/root/commands.txt" | sed 's/^sudo //')
    check=$(sed -n 2p "$folder/root/commands.txt" | sed "s,https://www.example.com/,http://127.0.0.1:$port/,")
    started=$(date +%s)
    say "Running: $install"
    inside "mkdir /srv/work && cd /srv/work && export PATH=/root/.cargo/bin:\$PATH DEBIAN_FRONTEND=noninteractive && $install"
    installed=$(since "$started")
    inside 'install -m 755 /root/.cargo/bin/a11ycheck /usr/local/bin/ && chown -R somebody /srv/work'
    say "Running, as an ordinary user: $check"
    started=$(date +%s) code=0
    inside "cd /srv/work && HOME=/home/somebody exec setpriv --reuid=somebody --regid=somebody --clear-groups -- $check" >"$folder/root/said.txt" ||
        code=$?
    cat "$folder/root/said.txt" >&2
    kill "$site"
    # The picture has no alternative text, which is what the command finds.
    [ "$code" = 1 ] && grep -q image-alt "$folder/root/said.txt" && [ -s "$folder/srv/work/report.html" ] ||
        { say "The check ended with $code and not with the one fault of the page"; return 1; }
    say "Bare $NAME $VERSION_CODENAME, commit $(git -c safe.directory="$workspace" -C "$workspace" rev-parse --short HEAD):" \
        "made in $made s, installed in $installed s, a report after $(since "$started") s more"
}

run() {
    make_debian
    mount_debian
    clone
    made=$(since "$begun")
    started=$(date +%s)
    say "Running \`cargo xtask test\` there"
    inside 'exec cargo xtask test'
    tested=$(since "$started")
    say "Running \`cargo xtask serve\` there"
    serve "$(date +%s)"
    say "Bare $NAME $VERSION_CODENAME, commit $(git -c safe.directory="$workspace" -C "$workspace" rev-parse --short HEAD):" \
        "made in $made s, \`cargo xtask test\` passed in $tested s, \`cargo xtask serve\` answered after $answered s and its" \
        "$lines lines to paste worked"
}

trap 'exit 1' HUP INT TERM
if [ "$story" = first-run ]; then story=first_run; else story=run; fi
"$story" </dev/null &
work=$!
{ cat <&3; kill -TERM 1; } >/dev/null 2>&1 &
wait "$work"
