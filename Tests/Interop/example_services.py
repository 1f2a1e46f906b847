"""The services of `examples/`, each set up by the lines of its README: what is different between them is here, what they all do in their tests."""
from __future__ import annotations

import re
import shlex
import shutil
import sys
from pathlib import Path

import requests

from example import Example
from keys import Proof
from readme import Readme
from server import CHECKOUT, Server, free_port
from waiting import eventually

FOLDER = CHECKOUT / "examples/services"


class ExampleService:
    """One program, with its state in a folder of its own; `issuer` is whom it trusts, the client is how it asks there."""

    kind = scope = path = example_of = ""

    def __init__(self, folder: Path, issuer: str, client: tuple[str, str] = ("nobody", "nothing")):
        self.folder, self.issuer, self.client = folder, issuer, client
        self.port = free_port()
        self.base = f"http://127.0.0.1:{self.port}{self.path}"
        self.example, self.id = Example(self.port, folder / "log"), f"{self.kind}-{self.port}"
        self.readme = self.follow(None)
        self.settings: dict[str, str] = {}

    # What is different

    @property
    def api(self) -> str:
        """The protocol endpoint that tests call."""
        return f"{self.base}/notes"

    @property
    def home(self) -> str:
        return f"{self.base}/"

    def who(self, answer: dict):
        """Whom the service says it serves."""
        return answer["person"]

    @classmethod
    def missing(cls) -> str | None:
        """Why it cannot be started here."""

    @property
    def command(self) -> list:
        return self.readme.command("sh serve")

    def environment(self) -> dict[str, str]:
        return {"ISSUER": self.issuer, "BASE": self.base, "PORT": str(self.port), "CLIENT_ID": self.client[0], "CLIENT_SECRET": self.client[1],
                "STATE": str(self.folder / "state.sqlite")}

    def enter(self) -> None:
        """In the index, by the README, which writes down for the service what it has to know."""
        self.readme.run()
        self.client = tuple(re.search(f"^CLIENT_{name}=(.*)$", self.known.read_text(), re.MULTILINE)[1] for name in ("ID", "SECRET"))

    def prepare(self) -> None:
        """Once, before the first start."""
        if not self.known.exists():
            self.write_down({})

    # What is not

    @property
    def known(self) -> Path:
        """What the service is told by the README's lines."""
        return self.folder / "environment"

    def write_down(self, changed: dict[str, str]) -> None:
        """In place of the README's lines, where no server is there for them."""
        self.known.write_text("".join(f"{name}={shlex.quote(value)}\n" for name, value in (self.environment() | changed).items()))

    def follow(self, server: Server | None) -> Readme:
        return Readme(server, self.example_of, PLACE=str(self.folder), SITE=str(self.folder / self.kind), PORT=str(self.port), BASE=self.base, SERVICE=self.id)

    def start(self, **settings: str) -> "ExampleService":
        self.settings |= settings
        self.example.start(self.command, self.readme.environment | self.handed(), CHECKOUT)
        return self

    def handed(self) -> dict[str, str]:
        """What it is told besides; what is written down already is changed there."""
        if set(self.settings) & set(self.environment()):
            self.write_down(self.settings)
        return self.settings

    def stop(self) -> None:
        self.example.stop()

    def clear(self) -> None:
        """Leaves nothing running."""
        self.stop()

    def restart(self, **settings: str) -> None:
        self.stop()
        self.start(**settings)

    def join(self, server: Server) -> "ExampleService":
        """Entered in the index, started, read by the crawler, approved, and found to take events."""
        self.readme = self.follow(server)
        self.enter()
        self.prepare()
        self.start()
        self.readme.run("sh approve")
        assert eventually(lambda: server.admin("services", "show", self.id)["hears"] == "push", within_s=30), server.admin("services", "show", self.id)
        return self

    def alone(self) -> "ExampleService":
        self.prepare()
        return self.start()

    # What apps and the federation ask

    def redeem(self, assertion: str, auth=None) -> requests.Response:
        return self.post("token", auth=auth, data={"grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": assertion})

    def refresh(self, token: dict, key=None) -> requests.Response:
        return self.post("token", auth=key and Proof(key), data={"grant_type": "refresh_token", "refresh_token": token["refresh_token"]})

    def post(self, endpoint: str, auth=None, **options) -> requests.Response:
        return requests.post(f"{self.base}/{endpoint}", auth=auth, timeout=30, allow_redirects=False, **options)

    def push(self, event: str) -> requests.Response:
        return self.post("events", data=event, headers={"Content-Type": "application/secevent+jwt"})

    def call(self, token: dict, key=None) -> requests.Response:
        """The protocol endpoint: with a proof, or bare."""
        if key is None:
            return requests.get(self.api, headers={"Authorization": f"Bearer {token['access_token']}"}, timeout=30)
        return requests.get(self.api, auth=Proof(key, token["access_token"]), timeout=30)

    def has(self, token: dict, key=None, *, status: int) -> bool:
        """Whether a call is answered so, soon."""
        return bool(eventually(lambda: self.call(token, key).status_code == status, within_s=30))


class PythonService(ExampleService):
    kind, scope, example_of = "python", "org.example.notes", "services/python"

    def prepare(self) -> None:
        """Alone, it runs by the Python of the tests, which has what the README installs."""
        super().prepare()
        python = self.folder / "bin/python"
        if not python.exists():
            python.parent.mkdir()
            python.write_text(f"#!/bin/sh\nexec {shlex.quote(sys.executable)} \"$@\"\n")
            python.chmod(0o700)


class PHPService(ExampleService):
    kind, scope, example_of = "php", "org.example.notes", "services/php"

    @classmethod
    def missing(cls) -> str | None:
        return None if shutil.which("php") else "there is no PHP: deploy/packages.sh test"


class SwiftService(ExampleService):
    kind, scope, example_of = "swift", "org.example.greetings", "SmallService"

    @classmethod
    def missing(cls) -> str | None:
        built = CHECKOUT / ".build/debug/SmallService"
        return None if built.exists() else f"there is no {built}: make build"

    @property
    def api(self) -> str:
        return f"{self.base}/greeting"


class Plugin(ExampleService):
    """Of a site, where an administrator types in what the README's line has printed."""

    def enter(self) -> None:
        self.readme.options = "--allow-loopback"
        printed = self.readme.run("sh add")
        self.readme.options = ""
        self.client = tuple(re.search(rf"^client_{name} +(\S+)$", printed, re.MULTILINE)[1] for name in ("id", "secret"))

    def handed(self) -> dict[str, str]:
        return self.environment() | self.settings

    def prepare(self) -> None:
        """The README's first lines, in the folder of the site."""
        self.readme.run()
