#!/usr/bin/env python3
"""`make try-patroni`: nodes of patroni.yml on this machine, a server with all hosts in its conninfo, and what a switchover and the end of
the primary cost under load.

In:  [WORD] that is in what happens: only such cases. PANDO_BINARY (.build/debug/pando). PANDO_TRY_NODES (2). PANDO_TRY_KEEP leaves the folder. Debian's
     patroni, etcd-server and postgresql; six minutes. Root runs PostgreSQL as the user postgres.
Out: a line for each case on stdout: what was acknowledged, lost, alive again, and for how long nothing was answered; exit 1 when anything was lost
     where standbys are synchronous, when a switchover lost anything, or when a client was told anything but 503. Nothing of it is left behind.

A case stops the process that sends the log to the standby a second before the primary's node is killed (kill -9, Patroni and PostgreSQL): a standby that
lags by a second, as over a network that is slow. What was acknowledged is asked for afterwards, by a server that was started since and remembers nothing.
"""
import base64
import json
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE.parents[1]
BINARY = Path(os.environ.get("PANDO_BINARY") or CHECKOUT / ".build/debug/pando")
PASSWORD = "of-a-trial"
OWNER = "postgres" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
LOAD, OLD, BEHIND_S, AWAY_S = 8, 12, 1.0, 40
NODES = int(os.environ.get("PANDO_TRY_NODES") or 2)
CASES = (("synchronous", "switchover"), ("synchronous", "kill -9"), ("synchronous", "etcd away"), ("strict", "kill -9"), ("asynchronous", "switchover"),
         ("asynchronous", "kill -9"))
PROGRAMS = max(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda folder: int(folder.parent.name))


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def as_owner(*command) -> list[str]:
    words = [str(word) for word in command]
    return ["setpriv", "--reuid", OWNER, "--regid", OWNER, "--init-groups", "--", *words] if os.geteuid() == 0 else words


def ask(url: str, body=None, headers: dict | None = None, method: str | None = None, timeout: float = 40):
    """Status and text; status 0 where there was no answer."""
    request = urllib.request.Request(url, data=body, headers=headers or {}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refused:
        return refused.code, refused.read().decode()
    except (OSError, ValueError):
        return 0, ""


def basic(name: str, secret: str) -> dict:
    return {"Authorization": "Basic " + base64.b64encode(f"{name}:{secret}".encode()).decode()}


def eventually(what: str, holds, within_s: float = 90):
    deadline = time.monotonic() + within_s
    while not (value := holds()):
        if time.monotonic() > deadline:
            raise SystemExit(f"try-patroni: not within {within_s:.0f} s: {what}")
        time.sleep(0.2)
    return value


class Node:
    """Patroni with a PostgreSQL below it."""

    def __init__(self, name: str, folder: Path, etcd: int):
        self.name, self.folder, self.data = name, folder / name, folder / name / "data"
        self.port, self.rest, self.process = free_port(), free_port(), None
        self.folder.mkdir()
        # Of the sample all but the network, and where its script is; this machine has no watchdog.
        text = (HERE / "patroni.yml").read_text().replace("10.0.0.0/24", "127.0.0.1/32").replace("mode: automatic", "mode: 'off'")
        text = text.replace("/etc/patroni/create-database.sh", str(folder / "create-database.sh")).replace("/usr/lib/postgresql/15/bin", str(PROGRAMS))
        text = text.replace('    ssl: "off"', f"    unix_socket_directories: {self.folder}\n    ssl: \"off\"")
        (self.folder / "patroni.yml").write_text(text)
        self.environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "HOME": str(self.folder), "PANDO_DATABASE_PASSWORD": PASSWORD,
                            "PATRONI_NAME": name, "PATRONI_ETCD3_HOSTS": f"127.0.0.1:{etcd}", "PATRONI_POSTGRESQL_DATA_DIR": str(self.data),
                            "PATRONI_POSTGRESQL_PGPASS": str(self.folder / "pgpass"), "PATRONI_RESTAPI_USERNAME": "patroni",
                            "PATRONI_RESTAPI_PASSWORD": PASSWORD, "PATRONI_LOG_LEVEL": "INFO"}
        for place, port in (("RESTAPI", self.rest), ("POSTGRESQL", self.port)):
            self.environment |= {f"PATRONI_{place}_LISTEN": f"127.0.0.1:{port}", f"PATRONI_{place}_CONNECT_ADDRESS": f"127.0.0.1:{port}"}
        for role, user in (("SUPERUSER", "postgres"), ("REPLICATION", "replicator"), ("REWIND", "rewind")):
            self.environment |= {f"PATRONI_{role}_USERNAME": user, f"PATRONI_{role}_PASSWORD": PASSWORD}

    def start(self) -> None:
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(as_owner("/usr/bin/patroni", self.folder / "patroni.yml"), env=self.environment, stdin=subprocess.DEVNULL,
                                            stdout=log, stderr=subprocess.STDOUT, cwd=self.folder, start_new_session=True)

    def standing(self) -> list[int]:
        """Processes of its PostgreSQL."""
        found = []
        for place in Path("/proc").glob("[0-9]*/cwd"):
            try:
                if os.readlink(place) == str(self.data):
                    found.append(int(place.parent.name))
            except OSError:
                pass
        return found

    def stop_sending(self) -> None:
        """The log to its standbys."""
        for number in self.standing():
            if b"walsender" in Path(f"/proc/{number}/cmdline").read_bytes():
                os.kill(number, signal.SIGSTOP)

    def kill(self) -> None:
        """As when the power goes."""
        if self.process:
            self.process.kill()
            self.process.wait()
        for _ in range(3):
            for number in self.standing():
                try:
                    os.kill(number, signal.SIGKILL)
                except ProcessLookupError:
                    pass
        self.process = None


class Patroni:
    """Both of them, and the etcd that they agree in."""

    def __init__(self, folder: Path):
        self.etcd_port, peer = free_port(), free_port()
        with (folder / "etcd.log").open("ab") as log:
            self.etcd = subprocess.Popen(
                as_owner("etcd", "--name", "one", "--data-dir", folder / "etcd", "--listen-client-urls", f"http://127.0.0.1:{self.etcd_port}",
                         "--advertise-client-urls", f"http://127.0.0.1:{self.etcd_port}", "--listen-peer-urls", f"http://127.0.0.1:{peer}",
                         "--initial-advertise-peer-urls", f"http://127.0.0.1:{peer}", "--initial-cluster", f"one=http://127.0.0.1:{peer}"),
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, cwd=folder, start_new_session=True)
        self.nodes = [Node(name, folder, self.etcd_port) for name in "abcde"[:NODES]]

    def members(self) -> list[dict]:
        for node in self.nodes:
            status, text = ask(f"http://127.0.0.1:{node.rest}/cluster", timeout=5)
            if status == 200:
                return json.loads(text)["members"]
        return []

    def leader(self) -> Node | None:
        names = [member["name"] for member in self.members() if member["role"] == "leader" and member["state"] == "running"]
        return next((node for node in self.nodes if node.name in names), None)

    def is_whole(self, synchronous: bool) -> bool:
        """A leader, and the others streaming from it, on its timeline, as what they should be."""
        members = self.members()
        roles = ["leader"] + ["replica"] * (NODES - 1)
        if synchronous:
            roles[-1] = "sync_standby"
        return (sorted(member["role"] for member in members) == sorted(roles) and
                {member["state"] for member in members} <= {"running", "streaming"} and len({member.get("timeline") for member in members}) == 1)

    def is_written_to(self) -> bool:
        """Whether the leader has come so far: it has the lock before its recovery has ended."""
        ports = ",".join(str(node.port) for node in self.nodes)
        conninfo = f"host={','.join('127.0.0.1' for _ in self.nodes)} port={ports} dbname=pando user=postgres password={PASSWORD} target_session_attrs=read-write connect_timeout=3"
        return subprocess.run([PROGRAMS / "psql", "-X", "-q", "-d", conninfo, "-c", "select"], capture_output=True).returncode == 0

    def set(self, synchronous: bool, strict: bool) -> None:
        leader = eventually("a leader", self.leader)
        body = json.dumps({"synchronous_mode": synchronous, "synchronous_mode_strict": strict}).encode()
        status, text = ask(f"http://127.0.0.1:{leader.rest}/config", body, basic("patroni", PASSWORD), "PATCH")
        assert status == 200, text
        eventually("standby as configured", lambda: self.is_whole(synchronous))

    def switch(self) -> None:
        leader = self.leader()
        body = json.dumps({"leader": leader.name}).encode()
        status, text = ask(f"http://127.0.0.1:{leader.rest}/switchover", body, basic("patroni", PASSWORD), "POST", timeout=120)
        assert status == 200, text

    def clear(self) -> None:
        for node in self.nodes:
            node.kill()
        self.etcd.kill()
        self.etcd.wait()


class Pando:
    """`pando serve` with both hosts."""

    def __init__(self, folder: Path, nodes: list[Node]):
        self.folder, self.port, self.process = folder, free_port(), None
        self.issuer = f"http://localhost:{self.port}"
        key = folder / "master.key"
        key.write_text(base64.urlsafe_b64encode(os.urandom(32)).rstrip(b"=").decode() + "\n")
        key.chmod(0o600)
        conninfo = (f"host={','.join('127.0.0.1' for _ in nodes)} port={','.join(str(node.port) for node in nodes)} dbname=pando user=pando "
                    f"password={PASSWORD} target_session_attrs=read-write")
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith(("PANDO_", "PG"))} | {
            "PANDO_ISSUER": self.issuer, "PANDO_PORT": str(self.port), "PANDO_METRICS_PORT": "", "PANDO_DATABASE": conninfo, "PANDO_LOG_LEVEL": "notice",
            "PANDO_MASTER_KEY_FILE": str(key), "PANDO_MIGRATIONS": str(CHECKOUT / "migrations"), "PANDO_ROLES": "idp"}

    def run(self, *arguments: str) -> str:
        done = subprocess.run([BINARY, *arguments], cwd=CHECKOUT, env=self.environment, text=True, capture_output=True, timeout=300)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def start(self) -> None:
        with (self.folder / "pando.log").open("ab") as log:
            self.process = subprocess.Popen([BINARY, "serve"], cwd=CHECKOUT, env=self.environment, stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=subprocess.STDOUT, start_new_session=True)
        eventually("the server is ready", lambda: self.process.poll() is not None or ask(f"{self.issuer}/readyz", timeout=5)[0] == 200)
        assert self.process.poll() is None, "the server ended; PANDO_TRY_KEEP leaves its log"

    def kill(self) -> None:
        if self.process:
            self.process.kill()
            self.process.wait()


class Load:
    """Machines that get tokens, and others that revoke the older of theirs."""

    def __init__(self, pando: Pando, machine: tuple[str, str]):
        self.pando, self.headers = pando, basic(*machine)
        self.live: list[str] = []
        self.ended: list[str] = []
        self.answered: list[float] = []
        self.unavailable, self.wrong = 0, []
        self.over = threading.Event()

    def post(self, path: str, body: str) -> str | None:
        status, text = ask(self.pando.issuer + path, body.encode(), self.headers)
        if status == 200:
            self.answered.append(time.monotonic())
            return text
        self.unavailable += 1
        if status not in (0, 503):
            self.wrong.append(f"{path}: {status} {text}")
        time.sleep(0.05)
        return None

    def repeat(self, revokes: bool) -> None:
        own: list[str] = []
        while not self.over.is_set():
            if (answer := self.post("/token", "grant_type=client_credentials")) is not None:
                own.append(json.loads(answer)["access_token"])
            # One of some seconds before, which every standby has.
            if revokes and len(own) > OLD:
                token = own.pop(0)
                if self.post("/revoke", f"token={token}") is not None:
                    self.ended.append(token)
        self.live += own

    def during(self, disturb) -> None:
        threads = [threading.Thread(target=self.repeat, args=(number % 2 == 0,)) for number in range(LOAD)]
        for thread in threads:
            thread.start()
        try:
            time.sleep(2)
            disturb()
            # Not what was on its way.
            since = time.monotonic() + 1
            eventually("anything is answered again", lambda: max(self.answered) > since, 150)
            time.sleep(2)
        finally:
            self.over.set()
            for thread in threads:
                thread.join()

    def longest_gap(self) -> float:
        """Seconds in which nothing was answered."""
        moments = sorted(self.answered)
        return max((later - earlier for earlier, later in zip(moments, moments[1:])), default=0)

    def count(self, tokens: list[str], active: bool) -> int:
        """How many of them are, by a process that remembers none."""
        found = 0
        for token in tokens:
            status, text = ask(f"{self.pando.issuer}/introspect", f"token={token}".encode(), self.headers)
            assert status == 200, text
            found += json.loads(text)["active"] is active
        return found


def main() -> None:
    if not BINARY.exists():
        raise SystemExit(f"try-patroni: there is no {BINARY}; set PANDO_BINARY")
    for program in ("patroni", "etcd"):
        if not shutil.which(program):
            raise SystemExit(f"try-patroni: there is no {program}: apt-get install --no-install-recommends patroni etcd-server python3-etcd")
    folder = Path(tempfile.mkdtemp(prefix="pando-ha-", dir="/tmp"))
    folder.chmod(0o755)
    shutil.copy(HERE / "create-database.sh", folder)
    place = folder / "nodes"
    place.mkdir()
    shutil.copy(HERE / "create-database.sh", place)
    cluster, pando, failed = None, None, []
    try:
        if os.geteuid() == 0:
            shutil.chown(place, OWNER, OWNER)
        cluster = Patroni(place)
        for node in cluster.nodes:
            shutil.chown(node.folder, OWNER) if os.geteuid() == 0 else None
            node.folder.chmod(0o700)
        cluster.nodes[0].start()
        eventually("the first node leads", cluster.leader, 120)
        for node in cluster.nodes[1:]:
            node.start()
        eventually("the others stream", lambda: cluster.is_whole(True), 180)
        pando = Pando(folder, cluster.nodes)
        pando.run("migrate")
        made = json.loads(pando.run("admin", "--json", "clients", "create", "--name", "machine", "--grant", "client_credentials", "--scope", "read"))
        pando.start()
        print(f"{'standby':14} {'what':24} {'held':>7} {'revoked':>8} {'lost':>5} {'alive':>6} {'not 200':>8} {'without answer':>15}")
        modes = {"synchronous": (True, False), "strict": (True, True), "asynchronous": (False, False)}
        for mode, what in CASES:
            if not all(word in what for word in sys.argv[1:]):
                continue
            cluster.set(*modes[mode])
            load = Load(pando, (made["client_id"], made["client_secret"]))

            def kill():
                leader = eventually("a leader", cluster.leader)
                leader.stop_sending()
                time.sleep(BEHIND_S)
                leader.kill()
                if mode == "strict" and NODES == 2:  # nothing is written until the other one is back
                    eventually("another leads", lambda: cluster.leader() not in (None, leader))
                    time.sleep(5)
                    leader.start()

            def silence():
                cluster.etcd.send_signal(signal.SIGSTOP)
                time.sleep(AWAY_S)
                cluster.etcd.send_signal(signal.SIGCONT)
            load.during({"switchover": cluster.switch, "kill -9": kill, "etcd away": silence}[what])
            for node in cluster.nodes:
                if node.process is None:
                    node.start()
            eventually("both are back", lambda: cluster.is_whole(mode != "asynchronous") and cluster.is_written_to())
            pando.kill()
            pando.start()
            lost, alive = load.count(load.live, active=False), load.count(load.ended, active=True)
            print(f"{mode:14} {what:24} {len(load.live):7} {len(load.ended):8} {lost:5} {alive:6} {load.unavailable:8} {load.longest_gap():13.1f} s",
                  flush=True)
            if load.wrong:
                failed.append(f"{mode}, {what}: {load.wrong[:3]}")
            if (lost or alive) and (mode != "asynchronous" or what == "switchover"):
                failed.append(f"{mode}, {what}: {lost} lost, {alive} alive again")
    finally:
        if pando:
            pando.kill()
        if cluster:
            cluster.clear()
        if os.environ.get("PANDO_TRY_KEEP"):
            print(f"try-patroni: left in {folder}", file=sys.stderr)
        else:
            shutil.rmtree(folder, ignore_errors=True)
    if failed:
        raise SystemExit("try-patroni: " + "\ntry-patroni: ".join(failed))


if __name__ == "__main__":
    main()
