#!/usr/bin/env bash
# Makes sure that the Debian packages which Pando is built on and runs with are installed.
#
# In:  [test] — also what `make test` needs: Chromium and its driver, the fonts that its pictures are drawn with, PgBouncer, and
#      for examples/services and `tiqr import --from` PHP, MariaDB's programs and library, and WordPress, which is unpacked to .pando/wordpress;
#      and for the command line zsh, fish and man.
#      [bench] — also what `make bench` needs: wrk.
#      [clean-debian] — what `make try-deb` needs, and nothing else: mmdebstrap.
# Out: nothing on stdout; exit 0 when all is there, 1 with the line to run when it cannot be put there.
#
# One dpkg-query when all is there. Of PostgreSQL only the programs are used (deploy/postgres.sh makes its own cluster),
# so Debian is told not to make and start one of its own.
set -euo pipefail

packages=(libpq-dev libxml2-dev libargon2-dev libqrencode-dev libcurl4-openssl-dev libldap-dev libssl-dev pkg-config curl python3-venv)

case "${1:-}" in
    '') ;;
    test)
        packages+=(chromium chromium-driver coturn fonts-inter fonts-dejavu-core pgbouncer)
        packages+=(apache2 libapache2-mod-auth-openidc libapache2-mod-oauth2 oidc-agent-cli haproxy nginx-light caddy prometheus xmlsec1)
        packages+=(php-cli php-mysql php-sqlite3 mariadb-server-core mariadb-client-core libmariadb3) # none of which starts a server
        packages+=(systemd dpkg-dev) # systemd-analyze, and what make deb wants
        packages+=(zsh fish man-db)
        ;;
    bench) packages+=(wrk) ;;
    clean-debian) packages=(mmdebstrap) ;;
    *) echo "usage: deploy/packages.sh [test|bench|clean-debian]" >&2; exit 2 ;;
esac

have_postgres() {
    local initdb
    for initdb in "${POSTGRES_BIN:-/nowhere}"/initdb /usr/lib/postgresql/*/bin/initdb; do
        [ -x "$initdb" ] && return 0
    done
    return 1
}

# Its package wants a web server with PHP, which Debian would start; unpacked it needs neither that nor root.
unpack_wordpress() {
    local folder
    folder=$(cd "$(dirname "$0")/.." && pwd)/.pando/wordpress
    if [ -e /usr/share/wordpress/wp-load.php ] || [ -e "$folder/usr/share/wordpress/wp-load.php" ]; then
        return 0
    fi
    echo "packages: unpacking wordpress" >&2
    rm -rf "$folder"
    mkdir -p "$folder"
    (cd "$folder" && apt-get -q download wordpress >&2 && dpkg-deb -x wordpress_*.deb . && rm wordpress_*.deb)
}

if ! command -v dpkg-query >/dev/null; then
    echo "packages: this is no Debian; needed are: ${packages[*]} postgresql (15 or newer). Going on without looking." >&2
    exit 0
fi

installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "${packages[@]}" 2>/dev/null | sed -n 's/ installed$//p') || true
missing=()
for package in "${packages[@]}"; do
    grep -qxF "$package" <<<"$installed" || missing+=("$package")
done
have_postgres || missing+=(postgresql)
if [ ${#missing[@]} -eq 0 ]; then
    [ "${1:-}" != test ] || unpack_wordpress
    exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        as_root=(sudo)
    else
        {
            echo "packages: these Debian packages are missing and need root to install: ${missing[*]}"
            echo "packages: run this, then come back:"
            echo
            echo "    apt-get update && apt-get install --yes --no-install-recommends ${missing[*]}"
            echo
        } >&2
        exit 1
    fi
fi

echo "packages: installing ${missing[*]}" >&2
settings=/etc/postgresql-common/createcluster.conf
if [[ " ${missing[*]} " == *" postgresql "* && ! -e $settings ]]; then
    "${as_root[@]}" mkdir -p "${settings%/*}"
    echo 'create_main_cluster = false' | "${as_root[@]}" tee "$settings" >/dev/null
fi
install=(env DEBIAN_FRONTEND=noninteractive UCF_FORCE_CONFFOLD=1 apt-get -q -o Dpkg::Use-Pty=0)
"${as_root[@]}" "${install[@]}" update >&2
# The settings file above is newer than the package that owns it (by ucf), and stays without a question.
"${as_root[@]}" "${install[@]}" install --yes --no-install-recommends "${missing[@]}" >&2
[ "${1:-}" != test ] || unpack_wordpress
