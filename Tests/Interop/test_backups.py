"""deploy/backup.sh and deploy/restore.sh: what was backed up comes back, to the row and to the second, and what does not is told."""
from __future__ import annotations

import os
import pwd
import re
import shutil
import subprocess
import time
from pathlib import Path
from tempfile import mkdtemp
from urllib.parse import quote

import pytest

from phone import Phone, Release, person
from server import BINARY, CHECKOUT, Cluster, Server, plain_environment, session
from waiting import eventually

BACKUP, RESTORE, NIGHTLY = (CHECKOUT / "deploy" / name for name in ("backup.sh", "restore.sh", "nightly.sh"))


class Operator:
    """Who runs the scripts, with the settings of one server."""

    def __init__(self, server: Server, folder: Path):
        self.server, self.folder = server, Path(mkdtemp(dir=folder))
        self.key = server.folder / "master.key"
        # The archive is PostgreSQL's own to write.
        for place in (folder, self.folder):
            place.chmod(0o711)

    def run(self, *command: object, ok: bool = True, **environment: object) -> subprocess.CompletedProcess:
        settings = {"PANDO": BINARY, "PANDO_DATABASE": self.database, "PANDO_MASTER_KEY_FILE": self.key, "PANDO_ISSUER": self.server.issuer, "TMPDIR": self.folder}
        finished = subprocess.run([*map(str, command)], cwd=CHECKOUT, env=plain_environment() | {name: str(value) for name, value in (settings | environment).items()},
                                  text=True, capture_output=True, timeout=180)
        assert (finished.returncode == 0) == ok, finished.stdout + finished.stderr
        return finished

    @property
    def database(self) -> str:
        return self.server.psql()[-1]

    def asks(self, statement: str, conninfo: str | None = None) -> str:
        return subprocess.run([*session(conninfo or self.database), "--command", statement], check=True, text=True, capture_output=True, timeout=60).stdout.strip()

    def leftovers(self) -> list[str]:
        return [entry.name for entry in self.folder.iterdir() if entry.name.startswith("tmp.")]


@pytest.fixture(scope="module")
def place(folder):
    return Path(mkdtemp(dir=folder))


@pytest.fixture(scope="module")
def cluster(place):
    made = Cluster(place / "postgres")
    try:
        yield made.start()
    finally:
        made.discard()


@pytest.fixture(scope="module")
def operator(place, cluster, folder):
    """A server with a person and a phone in it."""
    server = Server(place, cluster.url("pando_backed"))
    with server.running():
        Phone(server.issuer, Release.add(server)).register().log_in(person(server))
        yield Operator(server, folder)


@pytest.fixture(scope="module")
def dump(operator) -> Path:
    made = operator.folder / "pando.dump"
    operator.run(BACKUP, "dump", made)
    return made


def test_a_dump_is_whole_and_tells_what_is_in_it(operator, dump):
    told = (dump.with_name(dump.name + ".told")).read_text()

    assert dump.stat().st_mode & 0o077 == 0, "it holds what people are"
    assert re.search(r"^count account [1-9]", told, re.MULTILINE) and re.search(r"^count signing_key [1-9]", told, re.MULTILINE)
    assert operator.run(BACKUP, "dump", dump, ok=False).stderr.strip().endswith("is there already")


def test_a_dump_can_be_restored(operator, dump):
    """All of its rows, by a count of its own; the program finds nothing wrong, and its key opens what is sealed."""
    checked = operator.run(RESTORE, "check", dump).stdout

    assert re.search(r"^same \d+ tables, \d+ rows, \d+ migrations, epoch 1$", checked, re.MULTILINE)
    assert "doctor: migrations ok" in checked and re.search(r"^opened [1-9]\d* signing keys", checked, re.MULTILINE)
    assert operator.leftovers() == []


def test_another_master_key_is_found_out(operator, dump):
    other = operator.folder / "other.key"
    subprocess.run([CHECKOUT / "deploy/master-key.sh", other], check=True, capture_output=True, timeout=20)

    refused = operator.run(RESTORE, "check", dump, ok=False, PANDO_MASTER_KEY_FILE=other)

    assert "the master key does not open what is sealed there" in refused.stderr
    assert operator.leftovers() == []


def test_a_damaged_dump_is_found_out(operator, dump):
    damaged = operator.folder / "damaged.dump"
    content = bytearray(dump.read_bytes())
    content[len(content) // 2] ^= 1
    damaged.write_bytes(content)
    shutil.copy(f"{dump}.told", f"{damaged}.told")

    assert "its checksum is another" in operator.run(RESTORE, "check", damaged, ok=False).stderr


def test_a_dump_that_lacks_a_row_is_found_out(operator, dump):
    """The counts were taken in the snapshot of the dump, so one more is one that it lost."""
    lacking = operator.folder / "lacking.dump"
    shutil.copy(dump, lacking)
    told = Path(f"{dump}.told").read_text()
    Path(f"{lacking}.told").write_text(re.sub(r"^count account \d+$", "count account 4711", told, flags=re.MULTILINE))

    assert "what was restored is not what was dumped" in operator.run(RESTORE, "check", lacking, ok=False).stderr


def test_into_an_empty_database_only(operator, dump, cluster):
    before = operator.asks("select count(*) from account")
    assert "not empty; nothing was touched" in operator.run(RESTORE, "into", operator.database, dump, ok=False).stderr
    empty = cluster.url("pando_restored")

    restored = operator.run(RESTORE, "into", empty, dump)

    assert "pando admin epoch bump" in restored.stderr, "what else would say so"
    assert operator.asks("select count(*) from account") == before == operator.asks("select count(*) from account", empty)


def test_nothing_is_left_of_a_dump_that_failed(operator):
    away = operator.folder / "away.dump"

    operator.run(BACKUP, "dump", away, ok=False, PANDO_DATABASE="host=127.0.0.1 port=1 dbname=pando")

    assert [entry.name for entry in operator.folder.iterdir() if entry.name.startswith("away")] == []


def test_each_night_a_dump_is_made_and_checked_and_old_ones_go(operator):
    """Not before the new one is known to be good, and nothing else that lies there."""
    place = Path(mkdtemp(dir=operator.folder))
    old, young, other = place / "pando-2026-01-01T021500Z.dump", place / "pando-2026-01-10T021500Z.dump", place / "notes"
    for file, days in ((old, 4), (Path(f"{old}.told"), 4), (young, 2), (other, 4)):
        file.write_text("")
        os.utime(file, (time.time() - days * 86_400 - 60,) * 2)
    for wrong in ("", "0", "-1", "all"):
        refused = operator.run(NIGHTLY, place, ok=wrong == "", BACKUPS_KEPT=wrong or "10", BACKUP_CHECK="no")
        assert wrong == "" or "no number of days" in refused.stderr
    away = operator.run(NIGHTLY, place, ok=False, BACKUPS_KEPT="3", PANDO_DATABASE="host=127.0.0.1 port=1 dbname=pando")
    other_key = place / "other.key"
    subprocess.run([CHECKOUT / "deploy/master-key.sh", other_key], check=True, capture_output=True, timeout=20)
    time.sleep(1.1)
    unopened = operator.run(NIGHTLY, place, ok=False, BACKUPS_KEPT="3", PANDO_MASTER_KEY_FILE=other_key)
    assert "does not open" in unopened.stderr and "same " not in away.stdout and old.exists() and Path(f"{old}.told").exists()

    time.sleep(1.1)
    told = operator.run(NIGHTLY, place, BACKUPS_KEPT="3").stdout

    assert re.search(r"^same \d+ tables", told, re.MULTILINE) and re.search(r"^opened [1-9]\d* signing keys", told, re.MULTILINE)
    assert not old.exists() and not Path(f"{old}.told").exists() and young.exists() and other.exists()
    assert len(list(place.glob("pando-*.dump"))) == 4 and operator.leftovers() == []


def test_a_moment_comes_back(operator, cluster):
    """A base backup and the WAL since: up to a moment, without what came after it; and up to the end."""
    # Where the user postgres, as whom PostgreSQL runs for root, may write.
    wal = Path(mkdtemp(dir=operator.folder))
    owner = pwd.getpwnam("postgres").pw_uid if os.getuid() == 0 else os.getuid()
    os.chown(wal, owner, -1)
    reachable = Path(mkdtemp(prefix="pando-archive-", dir="/tmp"))
    reachable.chmod(0o755)
    try:
        script = shutil.copy(BACKUP, reachable / "backup.sh")
        superuser = re.sub(r"user=\S+", "user=postgres", operator.database)
        for setting, value in {"archive_mode": "on", "archive_command": f"{script} archive %p {wal}"}.items():
            operator.asks(f"alter system set {setting} = '{value}'", superuser)
        operator.server.stop()
        cluster.stop()
        cluster.start()
        operator.server.start()
        base = operator.folder / "base"
        operator.run(BACKUP, "base", base, PANDO_DATABASE=superuser)
        early, late = person(operator.server), None
        # The next commit is behind this moment, however coarse clocks are.
        moment = operator.asks("select clock_timestamp() from (select pg_sleep(0.05)) s")
        late = person(operator.server)
        last = operator.asks("select pg_walfile_name(pg_switch_wal())", superuser)
        assert eventually(lambda: (wal / last).exists(), within_s=60)

        # Between the shell, PostgreSQL and its configuration there is nothing that a folder may not be called.
        odd = wal.with_name("it's 50% \\of $all")
        subprocess.run(["cp", "-a", wal, odd], check=True, timeout=60)

        checks = {"moment": operator.run(RESTORE, "check", base, odd, moment, PANDO_BACKUP_DATABASE="pando_backed").stdout,
                  "end": operator.run(RESTORE, "check", base, wal, PANDO_BACKUP_DATABASE="pando_backed").stdout}

        rows = {name: int(re.search(r"^found \d+ tables, (\d+) rows", told, re.MULTILINE).group(1)) for name, told in checks.items()}
        assert rows["moment"] < rows["end"], checks
        assert "recovered: recovery stopping before commit" in checks["moment"]
        assert all("doctor: migrations ok" in told and "signing keys are listed" in told for told in checks.values())
        assert early != late and operator.leftovers() == []
    finally:
        shutil.rmtree(reachable)


def test_the_archive_keeps_what_it_has(operator):
    """archive_command: the same once more is no failure, another under the name of one that is there is."""
    archive, file = Path(mkdtemp(dir=operator.folder)), operator.folder / "00000001000000000000000A"
    file.write_bytes(b"first")
    operator.run(BACKUP, "archive", file, archive)
    operator.run(BACKUP, "archive", file, archive)
    file.write_bytes(b"other")

    assert "is there already, and another" in operator.run(BACKUP, "archive", file, archive, ok=False).stderr
    assert (archive / file.name).read_bytes() == b"first" and len(list(archive.iterdir())) == 1


def test_the_archive_may_be_called_anything(operator):
    """What `settings` prints, as PostgreSQL reads it and its shell runs it."""
    place, odd = Path(mkdtemp(dir=operator.folder)), operator.folder / "it's 50% \\of $all"
    odd.mkdir(exist_ok=True)
    (place / "postgresql.conf").write_text(operator.run(BACKUP, "settings", odd).stdout.split("# As postgres", maxsplit=1)[0])
    read = subprocess.run([newest("postgres"), "-C", "archive_command", "-D", place], check=True, text=True, capture_output=True, timeout=60).stdout.strip()
    file = place / "00000001000000000000000B"
    file.write_bytes(b"wal")

    operator.run("sh", "-c", read.replace("%p", str(file)).replace("%%", "%"))

    assert (odd / file.name).read_bytes() == b"wal"


def newest(program: str) -> Path:
    return max(Path("/usr/lib/postgresql").glob(f"*/bin/{program}"), key=lambda found: int(found.parts[4]))


@pytest.mark.parametrize("form", ["words", "url"])
def test_no_program_is_given_the_password_as_an_argument(operator, dump, cluster, form):
    """Arguments are read by everybody on the machine (ps)."""
    secret, place = "it's 5%@\\ hard", Path(mkdtemp(dir=operator.folder))
    noted = place / "noted"
    for program in newest("psql").parent.iterdir():
        if program.name in ("psql", "pg_dump", "pg_restore"):
            (place / program.name).write_text(f'#!/bin/sh\nprintf "%s\\n" "$0 $*" "PGPASSWORD=$PGPASSWORD" >>{noted}\nexec {program} "$@"\n')
            (place / program.name).chmod(0o755)
        else:
            (place / program.name).symlink_to(program)

    def with_password(conninfo: str) -> str:
        if form == "words":
            return conninfo + " password='" + secret.replace("\\", "\\\\").replace("'", "\\'") + "'"
        words = dict(word.split("=", maxsplit=1) for word in conninfo.split())
        return f"postgresql://{words['user']}:{quote(secret)}@/{words['dbname']}?host={quote(words['host'], safe='')}&port={words['port']}"

    made, empty = place / "made.dump", cluster.url(f"pando_{form}")
    operator.run(BACKUP, "dump", made, PANDO_DATABASE=with_password(operator.database), POSTGRES_BIN=place)
    operator.run(RESTORE, "into", "-", made, PANDO_DATABASE=with_password(empty), POSTGRES_BIN=place)

    lines = noted.read_text().splitlines()
    assert {Path(line.split()[0]).name for line in lines if line.startswith("/")} == {"psql", "pg_dump", "pg_restore"}
    assert f"PGPASSWORD={secret}" in lines
    assert not any(secret in line or quote(secret) in line or "hard" in line for line in lines if not line.startswith("PGPASSWORD="))
    assert operator.asks("select count(*) from account", empty) == operator.asks("select count(*) from account")
