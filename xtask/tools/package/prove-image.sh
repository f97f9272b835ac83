# Runs the image as `packaging/compose.yaml` has it: as its own user, without a capability, on a read-only file system, with
# `packaging/seccomp.json`, and nothing that it could gain by set-uid programs. Has a site checked, stops it, and starts it again.
#
#     sh xtask/tools/package/prove-image.sh ARCHIVE
#
# Run by root, because runc makes the container without a daemon. The container has a network of its own, with nothing but a loopback.
# Standard output has a line for each thing that was seen; nothing is left, however this ends.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$(dirname "$(dirname "$here")")")
archive=$1

fail() {
    echo "error: $*" >&2
    [ ! -s "${log:-}" ] || tail -n 40 "$log" >&2
    exit 1
}

saw() {
    echo "  $*"
}

[ "$(id -u)" = 0 ] || fail 'only root can run a container without a daemon: become root with this user'\''s PATH and HOME, as' \
    '`sudo --preserve-env=PATH,HOME` does, then run this command again'
# The runtime wants absolute paths.
folder=$(cd "$(dirname "$archive")" && mktemp -d "$PWD/prove-XXXXXX")
bundle=$folder/bundle log=$folder/log container=a11ycheck-prove-$$ running='' site=''
chmod 755 "$folder"

stop() {
    runc --root "$folder/runc" delete --force "$container" 2>/dev/null || true
    [ -z "$running" ] || wait "$running" 2>/dev/null || true
    rm -rf "$folder"
}
trap stop EXIT
trap 'exit 1' HUP INT TERM

# The text in a field of an answer that has it once.
field() {
    sed -n 's/.*"'"$1"'": *"\{0,1\}\([^",}]*\).*/\1/p' | head -n 1
}

within() {
    runc --root "$folder/runc" exec "$container" "$@"
}

# The container's network is another one than ours, and the image holds no client.
ask() {
    nsenter --net="/proc/$pid/ns/net" curl --silent --show-error --fail-with-body --max-time 90 "$@"
}

unpack() {
    skopeo copy --quiet "docker-archive:$archive" "oci:$folder/image:proven" >&2
    umoci unpack --image "$folder/image:proven" "$bundle" >&2
    mkdir "$folder/data"
    # As a runtime makes a volume: it belongs to the owner of the folder in the image.
    chown 10001:10001 "$folder/data"
    chmod 750 "$folder/data"
    jq --slurpfile seccomp "$root/packaging/seccomp.json" --arg data "$folder/data" '
        .root.readonly = true
        | .process.terminal = false
        | .process.noNewPrivileges = true
        | .process.capabilities = {bounding: [], effective: [], inheritable: [], permitted: [], ambient: []}
        | .process.env += ["A11YCHECK_DEMO=false", "A11YCHECK_ALLOW_NETWORK=127.0.0.0/8:8099"]
        | .linux.seccomp = $seccomp[0]
        | .linux.resources = {}
        | .mounts |= map(select(.destination != "/sys/fs/cgroup" and .destination != "/var/lib/a11ycheck" and .destination != "/tmp"))
        | .mounts += [
            {destination: "/tmp", type: "tmpfs", source: "tmpfs", options: ["nosuid", "nodev", "mode=1777"]},
            {destination: "/var/lib/a11ycheck", type: "bind", source: $data, options: ["bind", "nosuid", "nodev"]}
        ]' "$bundle/config.json" >"$folder/config.json"
    mv "$folder/config.json" "$bundle/config.json"
    saw "user $(jq --compact-output '[.process.user.uid, .process.user.gid]' "$bundle/config.json"), entry point $(jq --compact-output .process.args "$bundle/config.json")"
}

start() {
    runc --root "$folder/runc" run --bundle "$bundle" "$container" >"$log" 2>&1 </dev/null &
    running=$!
    tries=0
    until within /usr/bin/a11ycheck-server probe 2>"$folder/probe"; do
        kill -0 "$running" 2>/dev/null || fail 'the server ended before it answered'
        tries=$((tries + 1))
        [ "$tries" -lt 120 ] || fail "the server does not get ready: $(cat "$folder/probe")"
        sleep 0.5
    done
    pid=$(runc --root "$folder/runc" state "$container" | field pid)
}

end() {
    runc --root "$folder/runc" kill "$container" TERM
    status=0
    wait "$running" || status=$?
    running=''
    [ "$status" = 0 ] || fail "the server ended with status $status"
    runc --root "$folder/runc" delete --force "$container" 2>/dev/null || true
}

unpack
start
saw "ready by its own health check (\`a11ycheck-server probe\`), $(sed -n 's/^NoNewPrivs:\s*/NoNewPrivs /p' "/proc/$pid/status"), $(sed -n 's/^Seccomp:\s*/Seccomp /p' "/proc/$pid/status"), $(sed -n 's/^CapBnd:\s*/CapBnd /p' "/proc/$pid/status")"
! within /usr/bin/touch /etc/written 2>/dev/null || fail 'the root file system can be written'
within /usr/bin/a11ycheck-server admin doctor >"$folder/doctor" || fail "admin doctor: $(cat "$folder/doctor")"
sed 's/^/  doctor: /' "$folder/doctor"
mkdir "$folder/site"
echo '<!doctype html><html lang=en><title>Home</title><main><h1>Home</h1><img src=logo.png></main>' >"$folder/site/index.html"
nsenter --net="/proc/$pid/ns/net" python3 -m http.server --bind 127.0.0.1 --directory "$folder/site" 8099 >"$folder/site.log" 2>&1 &
site=$!
trap 'kill "$site" 2>/dev/null || true; stop' EXIT
team=$(within /usr/bin/a11ycheck-server admin team create --name Example --plan agency --json | field id)
token=$(within /usr/bin/a11ycheck-server admin token create "$team" --name laptop --json | field token)
api=http://127.0.0.1:8080
tries=0
until ask --output /dev/null http://127.0.0.1:8099/ 2>/dev/null; do
    tries=$((tries + 1))
    [ "$tries" -lt 60 ] || fail 'the site that is to be checked does not answer'
    sleep 0.5
done
id=$(ask --header "Authorization: Bearer $token" --json '{"url": "http://127.0.0.1:8099/", "report_locale": "en"}' $api/v1/sites | field id)
scan=$(ask --header "Authorization: Bearer $token" "$api/v1/sites/$id/scans" | grep -o '"scan_[^"]*"' | head -n 1 | tr -d '"')
tries=0
until ask --header "Authorization: Bearer $token" "$api/v1/scans/$scan" >"$folder/scan.json" && grep -q '"finished_at": *"' "$folder/scan.json"; do
    tries=$((tries + 1))
    [ "$tries" -lt 200 ] || fail "the check did not end: $(cat "$folder/scan.json")"
    sleep 1.1
done
[ "$(field status <"$folder/scan.json")" = completed ] || fail "the check failed: $(cat "$folder/scan.json")"
saw "checked a site: $(field status <"$folder/scan.json"), $(field pages_scanned <"$folder/scan.json") page, $(field issues <"$folder/scan.json") problem element"
sandboxed=$(ask $api/metrics | sed -n 's/^a11ycheck_browser_sandboxed //p')
[ "$sandboxed" = 1 ] || fail "a11ycheck_browser_sandboxed is $sandboxed"
saw "the browser's sandbox is on, without a capability and with no_new_privs"
ask --header "Authorization: Bearer $token" "$api/v1/scans/$scan/report" >"$folder/before.json"
kill "$site" 2>/dev/null || true
end
saw 'ended by SIGTERM with status 0'
start
ask --header "Authorization: Bearer $token" "$api/v1/scans/$scan/report" >"$folder/after.json"
cmp "$folder/before.json" "$folder/after.json" || fail 'the report after the start is another one than before'
saw 'a new container over the same volume has the report and knows the token'
end
