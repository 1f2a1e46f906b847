"""The command line as people have it: a terminal of some width, colours, completion in a shell, manual pages, `status` and `doctor`."""
from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import secrets
import select
import shutil
import signal
import struct
import subprocess
import termios
import time
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

import pytest

from server import BINARY, CHECKOUT, Server, free_port


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


@pytest.fixture(scope="module")
def installed(server: Server, folder: Path) -> Path:
    """What `make man` writes below PREFIX, of the program itself, which is there as `bin/pando`."""
    place = Path(mkdtemp(dir=folder))
    written = make_man(server, place, BINARY.resolve())
    assert written.returncode == 0 and written.stdout == f"manual pages and completion: {place}/usr/share\n", written.stdout + written.stderr
    (place / "usr/bin").mkdir()
    (place / "usr/bin/pando").symlink_to(BINARY.resolve())
    return place / "usr"


def make_man(server: Server, place: Path, program: Path) -> subprocess.CompletedProcess:
    environment = server.environment | {"PANDO_BINARY": str(program), "DESTDIR": str(place), "PREFIX": "/usr"}
    return subprocess.run([CHECKOUT / "deploy/install-man.sh"], cwd=CHECKOUT, env=environment, text=True, capture_output=True, timeout=300)


def shell(name: str) -> str:
    found = shutil.which(name)
    assert found, f"{name} is missing: deploy/packages.sh test installs it"
    return found


def test_fish_completes_commands_and_names(server: Server, installed: Path, tmp_path: Path):
    script, home = installed / "share/fish/vendor_completions.d/pando.fish", {"HOME": str(tmp_path), "PATH": f"{installed / 'bin'}:{os.environ['PATH']}"}

    def completed(line: str) -> list[str]:
        asked = [shell("fish"), "--no-config", "--command", f"source {script}; complete -C {line!r}"]
        found = subprocess.run(asked, cwd=CHECKOUT, env=server.environment | home, text=True, capture_output=True, timeout=60)
        assert found.returncode == 0 and not found.stderr, found.stderr
        return found.stdout.splitlines()

    assert completed("pando admin acc") == ["accounts"]
    assert completed("pando admin services show viewe") == ["viewer"]
    assert completed(f"{installed}/bin/pando admin services show viewe") == ["viewer"]
    # Unlike bash it takes all of a word with a colon.
    assert completed("pando admin tokens revoke service:viewe") == ["service:viewer"]
    assert completed("pando admin accounts list -o ya") == ["yaml"]


@contextmanager
def zsh_on_a_terminal(server: Server, installed: Path, home: Path):
    """Yields what gives the line that zsh has after a key for completion."""
    told = home / "told"
    # Ctrl-G writes down what stands in the line, and empties it.
    (home / ".zshrc").write_text(f'''
fpath=({installed}/share/zsh/site-functions $fpath)
autoload -Uz compinit && compinit -u -D
told() {{ print -r -- "$BUFFER" >>{told}; BUFFER= }}
zle -N told && bindkey '^G' told && print ready >>{told}
''')
    told.touch()
    terminal, end = pty.openpty()
    environment = server.environment | {"HOME": str(home), "ZDOTDIR": str(home), "TERM": "xterm", "PATH": f"{installed / 'bin'}:{os.environ['PATH']}"}
    process = subprocess.Popen([shell("zsh"), "-d", "-i"], cwd=CHECKOUT, env=environment, stdin=end, stdout=end, stderr=end, start_new_session=True)
    os.close(end)

    def line(number: int) -> str:
        shown, began = b"", time.monotonic()
        while (text := told.read_text()).count("\n") < number:
            assert time.monotonic() - began < 60, shown
            if select.select([terminal], [], [], 0.05)[0]:
                shown += os.read(terminal, 65536)
        return text.splitlines()[number - 1]

    def completed(typed: str) -> str:
        number = told.read_text().count("\n") + 1
        os.write(terminal, f"{typed}\t\a".encode())
        return line(number)

    try:
        assert line(1) == "ready"
        yield completed
    finally:
        process.kill()
        process.wait(timeout=30)
        os.close(terminal)


def test_zsh_completes_commands_and_names(server: Server, installed: Path, tmp_path: Path):
    with zsh_on_a_terminal(server, installed, tmp_path) as completed:
        assert completed("pando admin acc") == "pando admin accounts "
        assert completed("pando admin services show viewe") == "pando admin services show viewer "
        # What still wants a name behind it gets no space.
        assert completed("pando admin tokens revoke serv") == "pando admin tokens revoke service:"
        assert completed("pando admin tokens revoke service:viewe") == "pando admin tokens revoke service:viewer "
        assert completed("pando admin accounts list -o ya") == "pando admin accounts list -o yaml "


def test_shells_find_no_fault_in_the_scripts(installed: Path):
    for name, file in (("bash", "bash-completion/completions/pando"), ("zsh", "zsh/site-functions/_pando"), ("fish", "fish/vendor_completions.d/pando.fish")):
        checked = subprocess.run([shell(name), "-n", installed / "share" / file], text=True, capture_output=True, timeout=60)
        assert checked.returncode == 0 and not checked.stderr, checked.stderr


def test_completion_offers_no_name_that_a_shell_would_run(server: Server):
    hostile = f"q{secrets.token_hex(4)}$(id)"
    server.admin("accounts", "create", "--username", hostile, "--password-stdin", stdin="a sentence that nobody has")
    asked = server.run("completion", "words", "admin", "accounts", "show", hostile[:9])
    assert asked.returncode == 0 and asked.stdout == ""


def test_completion_says_nothing_where_there_is_no_database(server: Server):
    asked = server.run("completion", "words", "admin", "accounts", "show", "a", PANDO_DATABASE="host=/nonexistent dbname=none")
    assert asked.returncode == 0 and asked.stdout == "" and asked.stderr == ""


def test_completion_is_installed(server: Server, tmp_path: Path):
    home = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    for name, file in (("bash", "bash-completion/completions/pando"), ("zsh", "zsh/site-functions/_pando"), ("fish", "fish/completions/pando.fish")):
        written = server.run("completion", "install", name, **home)
        assert written.returncode == 0 and (tmp_path / file).read_text() == server.run("completion", name).stdout


def test_make_man_installs_what_the_program_tells(server: Server, installed: Path, tmp_path: Path):
    assert server.run("man", "--out", str(tmp_path)).returncode == 0
    told = {page.name: page.read_bytes() for page in tmp_path.glob("*.1")}
    assert "pando-admin-accounts.1" in told and {page.name: page.read_bytes() for page in (installed / "share/man/man1").iterdir()} == told
    for name, file in (("bash", "bash-completion/completions/pando"), ("zsh", "zsh/site-functions/_pando"), ("fish", "fish/vendor_completions.d/pando.fish")):
        assert (installed / "share" / file).read_text() == server.run("completion", name).stdout


def test_make_man_ends_at_a_page_that_man_warns_of(server: Server, tmp_path: Path):
    """Only where `man` is: it reads them."""
    assert shell("man")
    stub = tmp_path / "pando"
    stub.write_text("#!/bin/sh\n" r"""[ "$1" != man ] || { mkdir -p "$3"; printf '.TH PANDO 1\n.SH NAME\npando \\- a stub\n.NOSUCH x\n' >"$3/pando.1"; }""" "\n")
    stub.chmod(0o755)
    refused = make_man(server, tmp_path / "there", stub)
    assert refused.returncode == 1 and "NOSUCH" in refused.stderr and refused.stdout == ""


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


def test_a_database_that_was_served_under_another_issuer(own_server):
    """Who serves it under another one moves what the index has; both hear of it."""
    def found(**settings) -> dict:
        items = json.loads(own_server.run("doctor", "--json", **own_server.serving(), **settings).stdout)["items"]
        return next(item for item in items if item["name"] == "issuer-of-database")

    was, port = own_server.issuer, free_port()
    assert found()["status"] == "ok" and "has moved" not in own_server.log.read_text()
    changed = {"PANDO_ISSUER": f"http://localhost:{port}", "PANDO_PORT": str(port)}
    before = found(**changed)
    assert before["status"] == "error" and was in before["text"] and before["advice"]

    own_server.stop()
    own_server.environment |= changed
    own_server.issuer, own_server.port = changed["PANDO_ISSUER"], port
    own_server.start()
    moves = [line for line in own_server.log.read_text().splitlines() if "a built-in service has moved" in line]
    assert moves and all(f"{was}/services/" in line and f"{own_server.issuer}/services/" in line for line in moves), own_server.tail()
    assert found()["status"] == "ok"
    after = found(PANDO_ISSUER=was)
    assert after["status"] == "error" and own_server.issuer in after["text"]
