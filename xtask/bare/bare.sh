# Fetches what the Debian will not download, runs debian.sh in a new folder, in namespaces of its own for mounts and processes, and
# removes the folder.
#
# $1: the text of debian.sh. $2: the workspace. $3: cargo. $4: what is run there: `commands` or `first-run`, as debian.sh has it.
# Standard input is a pipe from the caller: it ends when the caller does, for whatever reason, and so does this script. With
# unshare its first process is killed; the kernel then ends every other process of the namespace, and undoes its mounts, which
# no other process has ever seen.
set -eu
exec 3<&0 </dev/null
inside=$1 workspace=$2 cargo=$3 story=$4 begun=$(date +%s)
cd "$workspace"

if [ "$(id -u)" != 0 ]; then
    echo "error: only root can make a bare Debian: become root with this user's PATH and HOME, as \`sudo --preserve-env=PATH,HOME\`" \
        "does, then run this command again" >&2
    exit 1
fi
# For `cargo xtask test`, the Debian gets a copy of cargo-deny: to compile one takes crates that are not among the workspace's.
groups=bare
if [ "$story" = commands ]; then groups='bare deny'; fi
# shellcheck disable=SC2086
sh xtask/tools/install.sh --packages $groups >/dev/null

# The folder that holds the toolchain and nothing else.
toolchain=$("$(dirname "$cargo")/rustc" --print sysroot)
case $toolchain in
    / | /usr | /usr/local) is_shared=yes ;;
    *) is_shared= ;;
esac
if [ -n "$is_shared" ] || [ ! -f "$toolchain/bin/cargo" ]; then
    echo "error: the Rust toolchain lies in $toolchain together with other programs, so a bare Debian can't be given it alone:" \
        "install one with rustup, then run this command again" >&2
    exit 1
fi
changed=$(git status --porcelain)
if [ -n "$changed" ]; then
    echo "    $(echo "$changed" | wc -l) files have changes that are not committed: what is run is the last commit, without them" >&2
fi
# The Debian downloads no crate: whatever is missing is fetched here, for all platforms, because licences are those of all.
echo "    running cargo fetch --locked" >&2
"$cargo" fetch --locked

mkdir -p "$workspace/target"
folder=$(mktemp -d "$workspace/target/bare-XXXXXX")
debian='' watcher='' packed=''

# A registry in a folder, as `cargo vendor` makes one, with our own packages as they would be published of the last commit.
pack() {
    packed=$(mktemp -d "$workspace/target/packed-XXXXXX")
    git clone --quiet --shared "$workspace" "$packed/tree"
    (
        cd "$packed/tree"
        "$cargo" package --quiet --workspace --no-verify --offline --target-dir "$packed/made" >&2
        "$cargo" vendor --quiet --locked --offline --versioned-dirs "$packed/registry" >/dev/null
    )
    for archive in "$packed"/made/package/a11ycheck-*.crate; do
        tar --extract --file "$archive" --directory "$packed/registry"
        printf '{"files":{},"package":"%s"}' "$(sha256sum "$archive" | cut -d ' ' -f 1)" \
            >"$packed/registry/$(basename "$archive" .crate)/.cargo-checksum.json"
    done
    rm -rf "$packed/made" "$packed/tree"
}

stop() {
    [ -z "$watcher" ] || kill "$watcher" 2>/dev/null || true
    if [ -n "$debian" ]; then
        kill -KILL "$debian" 2>/dev/null || true
        wait "$debian" || true
    fi
    # What was just killed may still write for a moment.
    for _ in 1 2 3 4 5; do
        if rm -rf "$folder" ${packed:+"$packed"} 2>/dev/null; then return; fi
        sleep 1
    done
    rm -rf "$folder" ${packed:+"$packed"}
}
trap stop EXIT
trap 'exit 1' HUP INT TERM

if [ "$story" = first-run ]; then pack; fi
unshare --mount --pid --fork --kill-child=KILL \
    sh -c "$inside" debian.sh "$folder" "$workspace" "$toolchain" "${CARGO_HOME:-$HOME/.cargo}" "$story" "$packed" 3<&3 &
debian=$!
# Not on standard output, which a caller may read to its end.
{ cat <&3; kill -TERM $$; } >/dev/null 2>&1 &
watcher=$!
status=0
wait "$debian" || status=$?
debian=''
if [ "$status" != 0 ]; then
    echo "error: the bare Debian could not be made, or one of the commands failed in it. What passes here and fails there depends on" \
        "something that set-up does not install" >&2
    exit "$status"
fi
echo "==> All of it works in a bare Debian; $(($(date +%s) - begun)) s in all" >&2
