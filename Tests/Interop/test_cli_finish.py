"""The command line as people have it: a terminal of some width, colours, completion in a shell, manual pages, `status` and `doctor`."""
from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import secrets
import shutil
import signal
import struct
import subprocess
import termios
import time
from pathlib import Path

import pytest

from server import BINARY, CHECKOUT, Server


def on_a_terminal(server: Server, width: int, *arguments: str, until: int | None = None, **environment: str) -> str:
    """All that is written to a terminal of that width; `until` so many whole screens, then Ctrl-C."""
    terminal, end = pty.openpty()
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    plain = {name: value for name, value in server.environment.items() if name != "NO_COLOR"} | {"TERM": "xterm"} | environment
    process = subprocess.Popen([BINARY, "admin", *arguments], cwd=CHECKOUT, env=plain, stdin=subprocess.DEVNULL, stdout=end, stderr=subprocess.PIPE,
                               # Whoever runs the tests in the background of a shell has it ignored.
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    os.close(end)
    written, began = b"", time.monotonic()
    while time.monotonic() - began < 60:
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            break
        written += piece
        if not piece:
            break
        if until and written.count(b"\x1b[2J") > until:
            process.send_signal(signal.SIGINT)
    process.wait(timeout=30)
    os.close(terminal)
    return written.decode().replace("\r\n", "\n")


@pytest.fixture(scope="module")
def name(server: Server) -> str:
    name = f"f{secrets.token_hex(4)}"
    server.admin("accounts", "create", "--username", name, "--email", f"{name}@a-rather-long-host-name.example.org", "--name", "Somebody With A Long Name",
                 "--password-stdin", stdin="a sentence that nobody has")
    return name


def test_a_table_fits_its_terminal(server: Server, name: str):
    shown = on_a_terminal(server, 50, "accounts", "list", "--query", name)
    assert name in shown and "USERNAME" in shown and " ago" in on_a_terminal(server, 200, "accounts", "list", "--query", name)
    assert all(len(re.sub(r"\x1b\[\d+m", "", line)) <= 50 for line in shown.splitlines()), shown


def test_colours_are_for_terminals(server: Server, name: str):
    command = ("accounts", "list", "--query", name)
    assert "\x1b[32mactive\x1b[0m" in on_a_terminal(server, 120, *command)
    assert "\x1b" not in on_a_terminal(server, 120, *command, NO_COLOR="1")
    piped = server.run("admin", *command)
    assert "\x1b" not in piped.stdout and f"{name}@a-rather-long-host-name.example.org" in piped.stdout and "…" not in piped.stdout


def test_forms_of_a_result(server: Server, name: str):
    def told(*more: str) -> str:
        return server.run("admin", "accounts", "list", "--query", name, *more).stdout

    assert json.loads(told("-o", "json")) == json.loads(told("--json")) and told("-o", "json") == told("--json")
    assert server.run("admin", "accounts", "list", "--query", "nobody-has-such-a-name", "-o", "name").stdout == ""
    assert told("-o", "name") == f"{name}\n" and f"username: {name}" in told("-o", "yaml")
    assert told("--columns", "email,username").splitlines()[0].split() == ["EMAIL", "USERNAME"]
    wrong = server.run("admin", "accounts", "list", "--sort", "usernam", "-o", "json")
    assert wrong.returncode == 2 and "did you mean username?" in json.loads(wrong.stderr.splitlines()[-1])["hint"]


def test_a_column_that_is_none_hides_no_secret_that_was_made(server: Server):
    made = server.run("admin", "clients", "create", "--name", "Once", "--redirect-uri", "https://once.example.org/cb", "--columns", "client-secret", "--json")
    assert made.returncode == 0 and json.loads(made.stdout)["client_secret"] and "told whole" in made.stderr
    chosen = server.run("admin", "clients", "show", json.loads(made.stdout)["client_id"], "--columns", "client-name", "--json")
    assert chosen.returncode == 2 and chosen.stdout == ""


def test_watching_ends_by_ctrl_c(server: Server, name: str):
    shown = on_a_terminal(server, 80, "accounts", "list", "--query", name, "--watch", "1", until=2)
    assert shown.count("every 1 s") >= 2 and shown.count(name) >= 2
    refused = server.run("admin", "accounts", "suspend", name, "--watch", "1", "--yes")
    assert refused.returncode == 2 and "only look" in refused.stderr


def test_what_was_meant(server: Server, name: str):
    noun, verb = server.run("admin", "acounts", "list"), server.run("admin", "accounts", "sho", name)
    assert noun.returncode == verb.returncode == 2 and "did you mean `accounts`?" in noun.stderr and "did you mean `show`?" in verb.stderr
    near = server.run("admin", "accounts", "show", name + "x")
    assert near.returncode == 3 and f"did you mean {name}?" in near.stderr


def test_help_has_an_example(server: Server):
    shown = server.run("admin", "accounts", "suspend", "--help")
    assert shown.returncode == 0 and "EXAMPLE:\n  pando admin accounts suspend grace" in shown.stdout


def test_bash_completes_commands_and_names(server: Server, name: str, tmp_path: Path):
    (tmp_path / "pando").symlink_to(BINARY)
    script = server.run("completion", "bash").stdout

    def completed(line: str) -> list[str]:
        asked = f'{script}\nCOMP_LINE={line!r}; COMP_POINT=${{#COMP_LINE}}; _pando {tmp_path / "pando"}; printf "%s\\n" "${{COMPREPLY[@]}}"'
        found = subprocess.run(["bash", "-c", asked], cwd=CHECKOUT, env=server.environment, text=True, capture_output=True, timeout=60)
        return found.stdout.split()

    program = str(tmp_path / "pando")
    assert completed(f"{program} admin acc") == ["accounts"]
    assert completed(f"{program} admin accounts show {name[:6]}") == [name]
    # Bash parts words at the colon, so what stands before it is not told again.
    assert completed(f"{program} admin tokens revoke account:{name[:6]}") == [name]
    assert completed(f"{program} admin accounts list -o ya") == ["yaml"]


def test_completion_offers_no_name_that_a_shell_would_run(server: Server):
    hostile = f"q{secrets.token_hex(4)}$(id)"
    server.admin("accounts", "create", "--username", hostile, "--password-stdin", stdin="a sentence that nobody has")
    asked = server.run("completion", "words", "admin", "accounts", "show", hostile[:9])
    assert asked.returncode == 0 and asked.stdout == ""


def test_completion_says_nothing_where_there_is_no_database(server: Server):
    asked = server.run("completion", "words", "admin", "accounts", "show", "a", PANDO_DATABASE="host=/nonexistent dbname=none")
    assert asked.returncode == 0 and asked.stdout == "" and asked.stderr == ""


def test_completion_is_installed(server: Server, tmp_path: Path):
    for shell, file in (("bash", "bash-completion/completions/pando"), ("zsh", "zsh/site-functions/_pando")):
        written = server.run("completion", "install", shell, HOME=str(tmp_path), XDG_DATA_HOME=str(tmp_path))
        assert written.returncode == 0 and (tmp_path / file).read_text() == server.run("completion", shell).stdout


def test_manual_pages(server: Server, tmp_path: Path):
    assert server.run("man", "--out", str(tmp_path)).returncode == 0
    pages = sorted(tmp_path.glob("pando*.1"))
    assert {"pando", "pando-serve", "pando-admin", "pando-admin-accounts"} <= {page.stem for page in pages}
    if checker := shutil.which("mandoc"):
        checked = [subprocess.run([checker, "-Tlint", "-Werror", page], text=True, capture_output=True) for page in pages]
    elif checker := shutil.which("man"):
        # Something else may stand in its place, which says so.
        checked = [subprocess.run([checker, "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", page], text=True, capture_output=True) for page in pages[:6]]
        checked = [one for one in checked if "minimized" not in one.stdout + one.stderr]
    else:
        checked = []
    assert not [one.stdout + one.stderr for one in checked if one.returncode or one.stderr]


def test_status_and_doctor(server: Server):
    status = server.run("status", "--json")
    told = json.loads(status.stdout)
    assert status.returncode == 0 and told["server"] == "up" and told["pending_migrations"] == 0 and told["accounts"] >= 0, status.stdout + status.stderr
    found = server.run("doctor", "--json")
    checks = {item["name"]: item for item in json.loads(found.stdout)["items"]}
    assert found.returncode == 0 and {"settings", "master-key", "database", "migrations", "clock", "issuer", "disk"} <= checks.keys(), found.stdout + found.stderr
    assert all(item["status"] in ("ok", "warning") and (item["status"] == "ok") == (item["advice"] is None) for item in checks.values())


def test_status_and_doctor_tell_of_no_server_far_away(server: Server):
    for command in ("status", "doctor"):
        refused = server.run(command, "--server", "https://elsewhere.example.org")
        assert refused.returncode == 2 and refused.stdout == "" and "on the server only" in refused.stderr


def test_status_and_doctor_without_a_database(server: Server):
    away = {"PANDO_DATABASE": "host=/nonexistent dbname=none"}
    assert server.run("status", "--json", **away).returncode == 6
    found = server.run("doctor", "--json", **away)
    database = [item for item in json.loads(found.stdout)["items"] if item["name"] == "database"]
    assert found.returncode == 7 and database[0]["status"] == "error" and database[0]["advice"]
    wrong = server.run("doctor", "--json", PANDO_BRAND_COLOR="#ffee00")
    assert wrong.returncode == 7 and "nearest" in json.loads(wrong.stdout)["items"][0]["text"]
