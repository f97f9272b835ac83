# Starts a server on the memory store and has Schemathesis compare its answers with the document that it serves, as
# `schemathesis.toml` says. `cargo xtask schemathesis` builds the server and runs this.
#
# $1: the server's program. A11YCHECK_SCHEMATHESIS: the program that `install.sh schemathesis` has installed.
#
# The server answers and does nothing else, so that nothing is visited, and its plans admit as many requests as there are.
set -eu
server=$1 schemathesis=${A11YCHECK_SCHEMATHESIS:?run xtask/tools/install.sh schemathesis, which says what it is}
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$(dirname "$here")")
folder=$root/target/schemathesis
# Fewer cases than this prove too little.
wanted=2000

fail() {
    echo "error: $*" >&2
    exit 1
}

# The field $2 of the JSON file $1; fields within fields are separated by dots.
field() {
    "$(dirname "$schemathesis")/python" -c '
import json, sys
value = json.load(open(sys.argv[1]))
for name in sys.argv[2].split("."):
    value = value[name]
print(value)' "$1" "$2"
}

# The plans with so much of everything countable that no case is refused for the number of those before it. The order of the plans
# stays: the demo team gets the largest.
raised_plans() {
    sed -e 's/^requests_per_minute = .*/requests_per_minute = 1000000\
files_per_minute = 1000000/' -e '/^files_per_minute = [0-9]*$/d' \
        -e 's/^sites = \([0-9]*\)$/sites = \10000/' "$root/core/plans.toml"
}

mkdir -p "$folder"
# Schemathesis leaves files of its own where it runs.
cd "$folder"
rm -f ready.json report.json
raised_plans >plans.toml

process=
stop() {
    [ -z "$process" ] || kill -KILL "$process" 2>/dev/null || true
}
trap stop EXIT
trap 'exit 1' HUP INT TERM

# Nobody's database is tested by accident.
for name in $(env | sed -n 's/^\(A11YCHECK_[A-Za-z0-9_]*\)=.*/\1/p'); do
    unset "$name"
done
# Requests without a token count by address, and here all have one address. The welcome, which shows the token, is not shown.
"$server" --memory --listen 127.0.0.1:0 --roles api --log warn --anonymous-requests 1000000 --plans "$folder/plans.toml" \
    --ready-file "$folder/ready.json" </dev/null >/dev/null &
process=$!

# The file appears whole, as soon as the server answers.
waited=0
until [ -f ready.json ]; do
    { [ "$waited" -lt 600 ] && kill -0 "$process" 2>/dev/null; } || fail 'the server did not come up: correct what it reports above'
    sleep 0.1
    waited=$((waited + 1))
done

base_url=$(field ready.json base_url)
echo "==> Testing $base_url with $("$schemathesis" --version)" >&2
A11YCHECK_TOKEN=$(field ready.json token) NO_PROXY=127.0.0.1 "$schemathesis" --config-file "$here/schemathesis.toml" \
    run "$base_url/openapi.json" --url "$base_url" --no-color --report json --report-json-path report.json </dev/null ||
    fail 'where Schemathesis names a difference above, correct the server or the types of api-v1 that the document is made from'
cases=$(field report.json test_cases.generated) || fail 'the report counts no cases'
[ "$cases" -ge "$wanted" ] || fail "Schemathesis tried $cases cases, fewer than $wanted: raise max-examples in schemathesis.toml"
echo "==> Server and document agree in $cases cases" >&2
