# Builds an OCI image from the Debian package: a Debian that holds what the package depends on, and nothing that installs more.
#
#     sh xtask/tools/package/image.sh PACKAGE FOLDER
#
# Run by root, because packages are installed in a folder. No daemon and no container is needed: mmdebstrap makes the file system, and
# umoci the image. FOLDER gets `image`, an OCI layout, and `a11ycheck-server_VERSION_image.tar` for `docker load` and `podman load`, whose
# path is the only line of standard output.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$(dirname "$(dirname "$here")")")
package=$1
mkdir -p "$2"
folder=$(cd "$2" && pwd)
# Not that of any user of the machine, and the same on all: the owner of files in volumes.
user=10001

say() {
    echo "==> $*" >&2
}

fail() {
    echo "error: $*" >&2
    exit 1
}

[ "$(id -u)" = 0 ] || fail 'only root can install packages in a folder: become root with this user'\''s PATH and HOME, as' \
    '`sudo --preserve-env=PATH,HOME` does, then run this command again'
[ -f "$package" ] || fail "$package is no file: make it with \`cargo xtask package deb\`"
version=$(dpkg-deb --field "$package" Version)
version=${version%-*}
architecture=$(dpkg-deb --field "$package" Architecture)
axe=$(dpkg-deb --fsys-tarfile "$package" | tar --extract --to-stdout ./usr/share/a11ycheck/axe.min.js | sed -n '1s/.*axe v\([0-9.]*\).*/\1/p')
# Of alternatives the first; systemd does not run in it, and its users are made by a program of its own.
dependencies=$(dpkg-deb --field "$package" Depends | tr ',' '\n' | sed 's/|.*//; s/(.*//; s/ //g; s/^systemd$/systemd-standalone-sysusers/')
# Pages in Chinese, Japanese and Korean, and emoji, are measured by their own glyphs; certutil is for --ca-certificates.
extras='fonts-noto-cjk fonts-noto-color-emoji libnss3-tools'
. /etc/os-release

work=$(mktemp -d "$folder/image-XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
SOURCE_DATE_EPOCH=$(git -C "$root" -c safe.directory="$root" log -1 --format=%ct 2>/dev/null) || SOURCE_DATE_EPOCH=$(date +%s)
export SOURCE_DATE_EPOCH

say "Making the file system, of $NAME $VERSION_CODENAME"
cat >"$work/user.sh" <<USER
echo "a11ycheck:x:$user:$user:Accessibility checks:/var/lib/a11ycheck:/usr/sbin/nologin" >>"\$1/etc/passwd"
echo "a11ycheck:x:$user:" >>"\$1/etc/group"
echo "a11ycheck:!*:::::::" >>"\$1/etc/shadow"
mkdir -p "\$1/var/lib/a11ycheck"
chown $user:$user "\$1/var/lib/a11ycheck"
chmod 750 "\$1/var/lib/a11ycheck"
USER
cat >"$work/install.sh" <<'INSTALL'
cp "$PACKAGE" "$1/package.deb"
chroot "$1" dpkg --install /package.deb
rm "$1/package.deb"
# It has the settings of a service of systemd: those of a container come from its environment.
rm -rf "$1/etc/a11ycheck"
INSTALL
PACKAGE=$(readlink -f "$package")
export PACKAGE
# shellcheck disable=SC2086
mmdebstrap --quiet --variant=essential --include="$(echo $dependencies $extras | tr ' ' ',')" \
    --aptopt='APT::Install-Recommends "false"' \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
    --dpkgopt='path-include=/usr/share/doc/*/copyright' --dpkgopt='path-include=/usr/share/doc/a11ycheck-server/*' \
    --essential-hook="sh $work/user.sh \"\$1\"" --customize-hook="sh -e $work/install.sh \"\$1\"" \
    "$VERSION_CODENAME" "$work/root.tar" >&2 || fail 'mmdebstrap could not make the file system: see above'

say 'Making the image'
image=$folder/image:$version
rm -rf "$folder/image"
{
    umoci init --layout "$folder/image"
    umoci new --image "$image"
    umoci raw add-layer --image "$image" "$work/root.tar"
    umoci config --image "$image" --no-history \
        --os linux --architecture "$architecture" --created "$(date --utc --date="@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)" \
        --config.user "$user:$user" --config.workingdir / \
        --config.entrypoint /usr/bin/a11ycheck-server \
        --config.env PATH=/usr/bin:/bin --config.env LANG=C.UTF-8 --config.env STATE_DIRECTORY=/var/lib/a11ycheck \
        --config.env A11YCHECK_LISTEN=0.0.0.0:8080 \
        --config.exposedports 8080/tcp --config.volume /var/lib/a11ycheck --config.stopsignal SIGTERM \
        --config.label org.opencontainers.image.title=a11ycheck-server \
        --config.label 'org.opencontainers.image.description=Accessibility checks of websites as a service' \
        --config.label "org.opencontainers.image.version=$version" \
        --config.label 'org.opencontainers.image.licenses=(Apache-2.0 OR MIT) AND MPL-2.0' \
        --config.label "org.opencontainers.image.revision=$(git -C "$root" -c safe.directory="$root" rev-parse HEAD 2>/dev/null)" \
        --config.label "org.a11ycheck.axe-core=$axe"
    umoci gc --layout "$folder/image"
} >&2 || fail 'umoci could not make the image: see above'
archive=$folder/a11ycheck-server_${version}_image.tar
rm -f "$archive"
skopeo copy --quiet "oci:$image" "docker-archive:$archive:a11ycheck-server:$version" >&2 || fail 'skopeo could not pack the image: see above'
# What registries and runtimes read of it.
skopeo inspect --config "oci:$image" | jq --exit-status --arg user "$user:$user" \
    '.config | .User == $user and .Entrypoint == ["/usr/bin/a11ycheck-server"] and (.Labels | length) >= 6' >/dev/null ||
    fail 'the image is not what it was made as: `skopeo inspect --config` shows it'
say "a11ycheck-server:$version: $(skopeo inspect --raw "oci:$image" | jq '[.layers[].size] | add / 1e6 | floor') MB compressed," \
    "$(($(stat --format %s "$work/root.tar") / 1000000)) MB unpacked"
echo "$archive"
