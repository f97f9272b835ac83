# Runs debian.sh in a new folder, in namespaces of its own for mounts and processes, and removes the folder.
#
# $1: the text of debian.sh. $2: unshare. $3: the workspace. $4: the Rust toolchain's folder. $5: cargo's home.
# Standard input is a pipe from the caller: it ends when the caller does, for whatever reason, and so does this script. With
# unshare its first process is killed; the kernel then ends every other process of the namespace, and undoes its mounts, which
# no other process has ever seen.
set -eu
exec 3<&0 </dev/null
mkdir -p "$3/target"
folder=$(mktemp -d "$3/target/bare-XXXXXX")
debian= watcher=

stop() {
    [ -z "$watcher" ] || kill "$watcher" 2>/dev/null || true
    if [ -n "$debian" ]; then
        kill -KILL "$debian" 2>/dev/null || true
        wait "$debian" || true
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

"$2" --mount --pid --fork --kill-child=KILL sh -c "$1" debian.sh "$folder" "$3" "$4" "$5" 3<&3 &
debian=$!
# Not on standard output, which a caller may read to its end.
{ cat <&3; kill -TERM $$; } >/dev/null 2>&1 &
watcher=$!
status=0
wait "$debian" || status=$?
debian=
exit "$status"
