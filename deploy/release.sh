#!/usr/bin/env bash
# `make release-all`: all that one hands out of a version, with checksums.
#
# In:  PANDO_RELEASE_BINARY — a binary in place of that of `make release`; PANDO_RELEASE_OUT — the folder (.pando/release/VERSION)
# Out: in that folder, whose path is on stdout:
#        pando-VERSION-linux-ARCHITECTURE.tar.xz   binary, migrations, passwords, deploy/, the licences of what is in it
#        pando_VERSION_ARCHITECTURE.deb            make deb
#        pando-VERSION.cdx.json                    the bill: CycloneDX 1.5
#        pando-VERSION-source.tar.xz               the commit, as git has it
#        SHA256SUMS                                of all of them: sha256sum --check SHA256SUMS
#      Sign the last one: gpg --detach-sign --armor SHA256SUMS. Archives have the commit's time and nobody's name: what is equal goes in,
#      equal bytes come out. Uncommitted changes are refused, and a binary of another commit, since no source would say what it is.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { echo "release: $*" >&2; }
die() { say "$*"; exit 1; }

# New files too: a migration that git does not know would be in the package, and in no source.
[ -z "$(git status --porcelain)" ] || die "there are changes that are not committed"
binary=${PANDO_RELEASE_BINARY:-.build/release/pando}
if [ -z "${PANDO_RELEASE_BINARY:-}" ]; then
    deploy/packages.sh
    deploy/build.sh release
fi
[ -x "$binary" ] || die "there is no binary at $binary"

SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
version=$("$binary" --version) # 0.1.0 (COMMIT)
commit=$(sed -n 's/.*(\(.*\))$/\1/p' <<<"$version")
case "$(git rev-parse HEAD)" in
    "${commit:-none}"*) ;;
    *) die "the binary is $version, and not of this commit" ;;
esac
version=${version%% *}
[ "$(git describe --tags --exact-match 2>/dev/null)" = "v$version" ] || version+="-$(git rev-parse --short=12 HEAD)"
architecture=$(uname -m)
out=${PANDO_RELEASE_OUT:-.pando/release/$version}
rm -rf -- "$out.new"
mkdir -p "$out.new"

# Nothing of a machine in an archive: names in order, the commit's time, user and group 0. One thread, of which the same bytes come everywhere.
packed() { tar --create --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode='u+rw,go+r-w' "$@" | xz --threads=1 -"${PANDO_RELEASE_LEVEL:-6}"; }

say "the bill"
deploy/sbom.py --binary "$binary" --out "$out.new/pando-$version.cdx.json"

say "the sources"
git archive --format=tar --prefix="pando-$version/" HEAD | xz --threads=1 -"${PANDO_RELEASE_LEVEL:-6}" >"$out.new/pando-$version-source.tar.xz"

say "the binary"
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
folder=$work/pando-$version
mkdir -p "$folder"
install -m 0755 "$binary" "$folder/pando"
git archive --format=tar HEAD migrations passwords deploy docs LICENSE README.md CHANGELOG.md SECURITY.md | tar --extract --directory "$folder"
deploy/sbom.py --notices >"$folder/LICENCES"
cp "$out.new/pando-$version.cdx.json" "$folder/sbom.cdx.json"
packed --directory "$work" "pando-$version" >"$out.new/pando-$version-linux-$architecture.tar.xz"

say "the package"
PANDO_DEB_BINARY=$binary PANDO_DEB_OUT=$out.new deploy/deb.sh >/dev/null

(cd "$out.new" && find . -type f ! -name SHA256SUMS -printf '%P\n' | LC_ALL=C sort | xargs sha256sum >SHA256SUMS)
rm -rf -- "$out"
mv -- "$out.new" "$out"
say "$(wc -l <"$out/SHA256SUMS") files, $(du -sm -- "$out" | cut -f 1) MB"
echo "$out"
