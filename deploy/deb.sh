#!/usr/bin/env bash
# `make deb`: a Debian package of the release build, for the Debian that it is built on.
#
# In:  PANDO_DEB_BINARY — a binary in place of .build/release/pando, with Swift's runtime in it or not
#      PANDO_DEB_VERSION — a version in place of the binary's own; between releases that has the date and the commit behind a tilde
#      PANDO_DEB_OUT — the folder (.pando/release)
#      PANDO_DEB_COMPRESSION — dpkg-deb's (xz, of which one core makes 30 MB in a minute or two); none for tests
# Out: OUT/pando_VERSION_ARCHITECTURE.deb, whose path is on stdout. The same binary and commit make the same bytes.
#
# No debhelper: what it would do for one binary and two units is in deploy/debian, to be read.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { echo "deb: $*" >&2; }
die() { say "$*"; exit 1; }

command -v dpkg-deb >/dev/null && command -v dpkg-shlibdeps >/dev/null || die "dpkg-deb and dpkg-shlibdeps are missing: apt-get install dpkg-dev"
binary=${PANDO_DEB_BINARY:-.build/release/pando}
if [ -z "${PANDO_DEB_BINARY:-}" ]; then
    deploy/packages.sh
    deploy/build.sh release
fi
[ -x "$binary" ] || die "there is no binary at $binary"
out=${PANDO_DEB_OUT:-.pando/release}

SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y "$binary")}
export SOURCE_DATE_EPOCH
told=$("$binary" --version) # 0.1.0 (COMMIT)
version=${told%% *} commit=$(sed -n 's/.*(\([0-9a-f]*\).*/\1/p' <<<"$told")
if [ -n "${PANDO_DEB_VERSION:-}" ]; then
    version=$PANDO_DEB_VERSION
elif [ "$(git describe --tags --exact-match 2>/dev/null)" != "v$version" ]; then
    version+="~git$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y%m%d).${commit:-unknown}"
fi
architecture=$(dpkg --print-architecture)

work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
root=$work/pando
umask 022
install -D -m 0755 "$binary" "$root/usr/lib/pando/pando"
install -d "$root/usr/lib/pando/migrations" "$root/usr/lib/pando/passwords"
install -m 0644 migrations/*.sql "$root/usr/lib/pando/migrations/"
install -m 0644 passwords/* "$root/usr/lib/pando/passwords/"
install -m 0755 deploy/master-key.sh deploy/backup.sh deploy/restore.sh deploy/conninfo.sh deploy/nightly.sh deploy/postgres.sh "$root/usr/lib/pando/"
install -D -m 0755 deploy/debian/pando "$root/usr/bin/pando"
install -D -m 0755 deploy/debian/pando-setup "$root/usr/sbin/pando-setup"
install -D -m 0644 deploy/pando.env "$root/usr/share/pando/pando.env"
install -D -m 0644 deploy/debian/sysusers.conf "$root/usr/lib/sysusers.d/pando.conf"
install -D -m 0644 deploy/debian/tmpfiles.conf "$root/usr/lib/tmpfiles.d/pando.conf"
install -d "$root/lib/systemd/system"
for unit in pando pando-migrate pando-backup; do
    sed 's#/opt/pando\b#/usr/lib/pando#g' "deploy/$unit.service" >"$root/lib/systemd/system/$unit.service"
done
install -m 0644 deploy/pando-backup.timer "$root/lib/systemd/system/"

# As they lie in the checkout, so that what operate.md leads to is there: runbook, alerts, samples.
documents=$root/usr/share/doc/pando
while read -r file; do install -D -m 0644 "$file" "$documents/$file"; done < <(
    find README.md SECURITY.md docs deploy/README.md deploy/kubernetes/README.md deploy/trace.py deploy/turnserver.conf \
        deploy/monitoring deploy/patroni deploy/proxy deploy/scaling -type f ! -name '*.pyc')
chmod 0755 "$documents"/deploy/*.py "$documents"/deploy/*/*.py "$documents"/deploy/*/*.sh
gzip -9n <CHANGELOG.md >"$documents/changelog.gz"
{ echo "Pando, under the Apache License 2.0 (/usr/share/common-licenses/Apache-2.0)."; echo
  echo "The binary has these in it; each one's licence, and what it asks to be told, follows."; echo
  deploy/sbom.py --notices; echo; cat passwords/LICENSE.md; } >"$documents/copyright"

# Manual pages and completion call the program by its name.
install -d "$work/bin"
ln -s "$(realpath "$binary")" "$work/bin/pando"
PANDO_BINARY=$work/bin/pando PREFIX=/usr DESTDIR=$root deploy/install-man.sh
if [ -d "$root/usr/share/zsh/site-functions" ]; then # where Debian's zsh looks
    mv "$root/usr/share/zsh/site-functions" "$root/usr/share/zsh/vendor-completions"
fi
find "$root/usr/share/man" -name '*.1' -exec gzip -9n {} +

install -d "$work/debian" "$root/DEBIAN"
printf 'Source: pando\nPackage: pando\nArchitecture: any\n' >"$work/debian/control"
libraries=${PANDO_DEB_LIBRARIES:-} # for tests, whose program is a script
if [ -z "$libraries" ]; then
    libraries=$(cd "$work" && dpkg-shlibdeps -O -e "$root/usr/lib/pando/pando" 2>"$work/shlibdeps.log") ||
        { grep -v '^dpkg-shlibdeps: warning' "$work/shlibdeps.log" >&2; die "dpkg-shlibdeps failed"; }
    libraries=${libraries#shlibs:Depends=}
fi
cat >"$root/DEBIAN/control" <<END
Package: pando
Version: $version
Architecture: $architecture
Maintainer: ${PANDO_DEB_MAINTAINER:-The makers of Pando <nobody@pando.invalid>}
Installed-Size: $(du -k -s --apparent-size "$root" | cut -f 1)
Depends: $libraries, ca-certificates, init-system-helpers, passwd, tzdata, util-linux
Recommends: postgresql (>= 15)
Suggests: haproxy | nginx | caddy, postgresql-client, python3
Section: net
Priority: optional
Description: federation control-plane
 OAuth 2.0 authorization server, OpenID provider and index of a federation whose
 tokens hang in one tree: revoke one anywhere, and all below it is dead.
 .
 Needs a PostgreSQL 15 or newer, here or elsewhere, and a proxy with TLS in front.
END
for script in postinst prerm postrm; do install -m 0755 "deploy/debian/$script" "$root/DEBIAN/$script"; done
(cd "$root" && find . -type f ! -path './DEBIAN/*' -printf '%P\0' | LC_ALL=C sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
chmod 0644 "$root/DEBIAN/control" "$root/DEBIAN/md5sums"
find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +

mkdir -p "$out"
package=$out/pando_${version}_$architecture.deb
# One thread: the same bytes everywhere.
dpkg-deb --root-owner-group -Z"${PANDO_DEB_COMPRESSION:-xz}" --threads-max=1 --build "$root" "$package" >/dev/null
say "$package, $(du -k "$package" | cut -f 1) KB"
echo "$package"
