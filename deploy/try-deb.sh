#!/usr/bin/env bash
# `make try-deb`: installs the package into a clean Debian of its own, boots that with its own systemd, and runs the three commands.
#
# In:  DEB — a package of `make deb` (the newest in .pando/release); root, apt's own sources, a minute or two
#      PANDO_TRY_KEEP — leave the root where it is, and say where
# Out: what was seen, a line each; exit 1 when anything was not as it should be. Nothing of this machine is touched: the root has a network
#      of its own without a way out, its processes and mounts are its own, and all is gone at the end.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { echo "try-deb: $*" >&2; }
die() { say "$*"; exit 1; }

[ "$(id -u)" -eq 0 ] || die "only root may make namespaces and mounts"
deploy/packages.sh clean-debian
deb=${1:-$(find .pando/release -name 'pando_*.deb' -printf '%T@ %p\n' 2>/dev/null | sort -n | tail -n 1 | cut -d ' ' -f 2-)}
[ -f "$deb" ] || die "there is no package; make deb"

root=$(mktemp -d /var/tmp/pando-try.XXXXXX)
keeper=
clear() {
    if [ -n "$keeper" ]; then
        kill -KILL "$init" 2>/dev/null || true
        wait "$keeper" 2>/dev/null || true
    fi
    if [ -n "${PANDO_TRY_KEEP:-}" ]; then say "left in $root"; else rm -rf --one-file-system -- "$root"; fi
    for controller in /sys/fs/cgroup/*/"${root##*/}" /sys/fs/cgroup/"${root##*/}"; do
        [ ! -d "$controller" ] || find "$controller" -depth -type d -exec rmdir {} + 2>/dev/null || true
    done
}
trap clear EXIT

say "making a clean root"
mmdebstrap --quiet --variant=minbase --include=systemd,systemd-sysv,dbus,curl "${PANDO_TRY_RELEASE:-bookworm}" "$root/new" >/dev/null 2>"$root/log" ||
    { tail -n 5 "$root/log" >&2; die "mmdebstrap failed"; }
install -D -m 0644 "$deb" "$root/new/var/cache/pando.deb"
cp /etc/resolv.conf "$root/new/etc/resolv.conf" 2>/dev/null || true
chroot "$root/new" apt-get update -q >"$root/log" 2>&1 || { tail -n 5 "$root/log" >&2; die "apt finds no packages"; }
chroot "$root/new" env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 apt-get install -y -q /var/cache/pando.deb >"$root/log" 2>&1 ||
    { tail -n 20 "$root/log" >&2; die "the package does not install"; }
sed -n '/^Pando is installed/,/pando doctor/p' "$root/log"
for unit in systemd-udevd systemd-sysctl systemd-timesyncd systemd-modules-load systemd-random-seed console-getty getty@tty1; do
    ln -s /dev/null "$root/new/etc/systemd/system/$unit.service"
done

# As systemd-nspawn does it. A chroot would not do: no user namespace is made in one.
for controller in /sys/fs/cgroup /sys/fs/cgroup/*/; do
    [ -e "$controller/cgroup.procs" ] || continue
    mkdir -p "$controller/${root##*/}"
done
# shellcheck disable=SC2016
unshare --mount --pid --fork --uts --ipc --net --propagation private bash -c '
for controller in /sys/fs/cgroup /sys/fs/cgroup/*/; do
    [ ! -e "$controller/$2/cgroup.procs" ] || echo $$ >"$controller/$2/cgroup.procs" || true
done
exec unshare --cgroup bash -ec "
    cd $1; ip link set lo up; hostname clean
    mount --bind . .; cd $1
    mount -t proc proc proc; mount --bind proc/sys proc/sys; mount -o remount,bind,ro proc/sys; mount -t sysfs -o ro sysfs sys
    if [ -e /sys/fs/cgroup/cgroup.controllers ]; then mount -t cgroup2 cgroup2 sys/fs/cgroup; else
        mount -t tmpfs tmpfs sys/fs/cgroup; mkdir sys/fs/cgroup/systemd sys/fs/cgroup/unified
        mount -t cgroup -o none,name=systemd cgroup sys/fs/cgroup/systemd; mount -t cgroup2 cgroup2 sys/fs/cgroup/unified
    fi
    mount -t tmpfs tmpfs run; mount -t tmpfs tmpfs tmp; mount -t tmpfs -o mode=755 tmpfs dev
    for device in null zero full random urandom tty; do touch dev/\$device; mount --bind /dev/\$device dev/\$device; done
    mkdir dev/pts dev/shm; mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts; ln -s pts/ptmx dev/ptmx; mount -t tmpfs tmpfs dev/shm
    mkdir .outside; pivot_root . .outside; umount -l .outside; mount --make-rshared /
    exec env -i container=other PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --system --unit=multi-user.target --show-status=0
"' try "$root/new" "${root##*/}" </dev/null >"$root/boot.log" 2>&1 &
keeper=$!
init=
for _ in {1..50}; do
    init=$(pgrep -P "$keeper" -o || true)
    [ -z "$init" ] || [ "$(cat "/proc/$init/comm")" != systemd ] || break
    sleep 0.2
done
[ -n "$init" ] || { cat "$root/boot.log" >&2; die "it does not boot"; }
inside() { timeout 120 nsenter -t "$init" -m -p -u -i -n -C -r -w env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 "$@"; }
for _ in {1..60}; do
    case "$(inside systemctl is-system-running 2>/dev/null || true)" in running | degraded) break ;; esac
    sleep 1
done
if [ -n "${PANDO_TRY_TYPE:-}" ]; then # a program of before sd_notify
    mkdir -p "$root/new/etc/systemd/system/pando.service.d"
    printf '[Service]\nType=%s\n' "$PANDO_TRY_TYPE" >"$root/new/etc/systemd/system/pando.service.d/type.conf"
    inside systemctl daemon-reload
fi

ready() { inside curl -s -o /dev/null -w '%{http_code}' --max-time 5 http://127.0.0.1:8080/readyz || true; }
await() {
    local tries
    for ((tries = 0; tries < 60; tries++)); do
        [ "$(ready)" != 200 ] || return 0
        sleep 0.5
    done
    inside journalctl -u pando --no-pager -n 20 -o cat >&2
    die "it does not serve $*"
}

inside pando-setup https://id.clean.example 2>"$root/setup.log" || { tail -n 5 "$root/setup.log" >&2; die "pando-setup failed"; }
inside systemctl enable --now pando 2>/dev/null || true
await "after the commands"
echo "serves: /readyz is 200, on $(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' "$root/new/etc/os-release"), systemd $(inside systemctl --version | sed -n '1s/systemd \([0-9]*\).*/\1/p')"
# What is not ok is named: an address that no DNS knows, and a server that the world does not reach, are expected in a root without a network.
inside pando doctor -o json 2>/dev/null | python3 -c '
import json, sys
found = json.load(sys.stdin)["items"]
print("doctor:", sum(one["status"] == "ok" for one in found), "ok")
for one in found:
    if one["status"] != "ok":
        print("doctor: {status}, {name}: {text}".format(**one))' || true
echo "sandbox: $(inside systemd-analyze security pando --no-pager | tail -n 1 | sed 's/^[^O]*//')"
inside sh -c 'printf %s "correct horse battery" | pando admin --json accounts create --username grace --password-stdin' >/dev/null || die "pando admin does not work"
echo "admin: an account was made"
[ "$(inside systemctl is-enabled pando-backup.timer 2>/dev/null)" = disabled ] || die "the backup of each night is enabled, and nobody said so"
inside systemctl start pando-backup || { inside journalctl -u pando-backup --no-pager -n 20 -o cat >&2; die "there is no backup"; }
inside journalctl -u pando-backup --no-pager -o cat | grep -E '^(same|opened|not asked)' | sed 's/^/backup: /'
[ "$(inside sh -c 'find /var/lib/pando-backups -user pando -perm 600 | wc -l')" = 2 ] || die "the backup is not there, or others may read it"
inside systemctl enable --now pando-backup.timer 2>/dev/null || die "the timer does not start"
inside systemctl list-timers pando-backup.timer --no-pager --no-legend | grep -q pando-backup.service || die "the timer has no next time"
inside systemctl stop postgresql@15-main
sleep 1
[ "$(ready)" != 200 ] || die "it says that it is ready without its database"
inside systemctl restart --no-block pando
sleep 12
inside systemctl start postgresql@15-main
await "when its database is back"
echo "database away at the start: it came by itself"
inside systemctl stop pando
[ "$(inside systemctl show pando -p Result --value)" = success ] || die "it did not stop well"
echo "stopped: success"
inside env DEBIAN_FRONTEND=noninteractive dpkg --purge pando >/dev/null 2>"$root/purge.log" || die "it does not purge"
inside test -s /etc/pando/master.key || die "the master key went with the package"
echo "purged: the master key is still there, and $(inside sh -c 'ls /usr/lib/pando /usr/bin/pando /lib/systemd/system/pando.service 2>/dev/null' | wc -l) files of the package"
