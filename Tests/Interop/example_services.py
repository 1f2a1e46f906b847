"""The services of `examples/services`, each set up as its README says: what is different between them is here, what they all do in their tests."""
from __future__ import annotations

import json
import sys
from pathlib import Path

import requests

from example import Example
from keys import Proof
from server import CHECKOUT, Server, free_port
from waiting import eventually

FOLDER = CHECKOUT / "examples/services"


class ExampleService:
    """One program, with its state in a folder of its own; `issuer` is whom it trusts, the client is how it asks there."""

    kind = scope = path = ""

    def __init__(self, folder: Path, issuer: str, client: tuple[str, str] = ("nobody", "nothing")):
        self.folder, self.issuer, self.client = folder, issuer, client
        self.port = free_port()
        self.base = f"http://127.0.0.1:{self.port}{self.path}"
        self.example, self.id = Example(self.port, folder / "log"), None
        self.settings: dict[str, str] = {}

    # What is different

    command: list = []
    cwd: Path | None = None

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

    def prepare(self) -> None:
        """Once, before the first start."""

    def environment(self) -> dict[str, str]:
        return {"ISSUER": self.issuer, "BASE": self.base, "PORT": str(self.port), "CLIENT_ID": self.client[0], "CLIENT_SECRET": self.client[1],
                "STATE": str(self.folder / "state.sqlite")}

    # What is not

    def start(self, **settings: str) -> "ExampleService":
        self.settings |= settings
        self.example.start(self.command, self.environment() | self.settings, self.cwd)
        return self

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
        entry = server.admin("services", "add", self.base, "--name", f"Example in {self.kind}", "--claim", "email", "--claim", "name", "--allow-loopback")
        self.id, self.client = entry["id"], (entry["client_id"], entry["client_secret"])
        self.prepare()
        self.start()
        server.admin("crawl", "run", self.id)
        server.admin("services", "approve", self.id)
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
    kind, scope = "python", "org.example.notes"
    command, cwd = [sys.executable, "service.py"], FOLDER / "python"


KINDS = {service.kind: service for service in (PythonService,)}
