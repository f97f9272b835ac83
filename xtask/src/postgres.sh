# Runs a PostgreSQL of its own in a new folder until standard input ends, then removes everything.
#
# $1: the folder of PostgreSQL's programs; $2: `synced`, or `unsynced` for data that are worth nothing after the tests: nothing is
# forced to the disk then. Prints the address of the database when it can be used; ends with an error, after
# what PostgreSQL reported, when it can't be. Standard input is a pipe from the one who started this: it ends when that process
# does, for whatever reason, so that nothing is left behind.
set -eu
programs=$1
case $2 in
    synced) settings= ;;
    unsynced) settings="-c fsync=off -c synchronous_commit=off -c full_page_writes=off" ;;
esac
folder=$(mktemp -d /tmp/a11ycheck-postgres-XXXXXX)
cd "$folder"

stop() {
    "$programs/pg_ctl" stop --pgdata="$folder/data" --mode=immediate >"$folder/stop.log" 2>&1 || true
    cd /
    rm -rf "$folder"
}
trap stop EXIT
trap 'exit 1' HUP INT TERM

report() {
    cat "$1" >&2
    exit 1
}

"$programs/initdb" --pgdata="$folder/data" --username=postgres --auth=trust --encoding=UTF8 --locale=C --no-sync \
    >"$folder/initdb.log" 2>&1 </dev/null || report "$folder/initdb.log"
"$programs/pg_ctl" start --pgdata="$folder/data" --wait --log="$folder/server.log" \
    --options="-c listen_addresses='' -c unix_socket_directories='$folder' -c max_connections=200 \
        $settings" \
    >"$folder/start.log" 2>&1 </dev/null || report "$folder/server.log"

echo "postgres://postgres@localhost/postgres?host=$folder"
cat >/dev/null
