# Builds the Debian package a11ycheck-server from a server that cargo has built: what `packaging/debian` says, by debhelper.
#
#     sh xtask/tools/package/deb.sh SERVER AXE FOLDER [VERSION]
#
# SERVER: the program. AXE: axe.min.js, in the folder of axe-core's own package. FOLDER: gets the package. VERSION: the workspace's,
# unless another is given.
#
# Standard output has one line, the package's path. Everything for people is on standard error.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$(dirname "$(dirname "$here")")")

fail() {
    echo "error: $*" >&2
    exit 1
}

if [ $# -lt 3 ] || [ $# -gt 4 ]; then
    fail 'usage: deb.sh SERVER AXE FOLDER [VERSION]'
fi
server=$1 axe=$2 folder=$3
version=${4:-$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"$/\1/p' "$root/Cargo.toml")}
licences=$(dirname "$axe")
for file in "$server" "$axe" "$licences/LICENSE-3RD-PARTY.txt"; do
    [ -f "$file" ] || fail "$file is missing: build the server with \`cargo build --release --bin a11ycheck-server\`," \
        'and have axe-core from npm with `sh xtask/tools/install.sh axe`'
done
# The program is run for its man pages: it must be this machine's.
"$server" --version >/dev/null || fail "$server does not run here"

mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
stage=$(mktemp -d "$folder/stage-XXXXXX")
trap 'rm -rf "$stage"' EXIT
trap 'exit 1' HUP INT TERM

mkdir "$stage/bin" "$stage/axe-core" "$stage/sysusers"
cp "$server" "$stage/bin/a11ycheck-server"
cp "$root/packaging/a11ycheck-admin" "$stage/bin/"
cp "$axe" "$stage/axe-core/axe.min.js"
cp "$licences/LICENSE-3RD-PARTY.txt" "$stage/axe-core/"
cp -R "$root/packaging" "$root/docs" "$root/NOTICES.md" "$root/CHANGELOG.md" "$stage/"
mv "$stage/packaging/debian" "$stage/debian"
cp "$root/packaging/a11ycheck-server.service" "$stage/debian/"
cp "$root/packaging/sysusers.conf" "$stage/sysusers/a11ycheck-server.conf"
"$stage/bin/a11ycheck-server" manual "$stage/manual"
# bash looks for the name of the command alone.
mv "$stage/manual/bash/a11ycheck-server.bash" "$stage/manual/bash/a11ycheck-server"
# The time of the last commit, so that the same commit makes the same package.
date=$(git -C "$root" -c safe.directory="$root" log -1 --format=%cD 2>/dev/null) || date=$(date -R)
cat >"$stage/debian/changelog" <<CHANGES
a11ycheck ($version-1) unstable; urgency=medium

  * Release $version: its changes are in changelog.gz beside this file.

 -- $(sed -n 's/^Maintainer: //p' "$stage/debian/control")  $date
CHANGES

(cd "$stage" && debian/rules binary) >"$folder/build.log" 2>&1 </dev/null || {
    tail -n 30 "$folder/build.log" >&2
    fail "debhelper could not build the package: $folder/build.log has all that it said"
}
package=$(find "$folder" -maxdepth 1 -name "a11ycheck-server_$version-1_*.deb" | head -n 1)
[ -n "$package" ] || fail "debhelper left no package in $folder: $folder/build.log says why"
echo "==> $(basename "$package"): $(du -k "$package" | cut -f 1) KB" >&2
echo "$package"
