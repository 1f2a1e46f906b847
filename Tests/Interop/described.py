"""What /openapi.yaml is good for: programs that read it, and callers whom it tells how to ask."""
from __future__ import annotations

import base64
import importlib
import json
import os
import pkgutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import requests
import yaml
from joserfc.jwk import ECKey

from server import Server

PROGRAMS = Path(sys.executable).parent
HERE = Path(__file__).parent
TIMEOUT_S = 60


def document(server: Server) -> dict:
    answer = requests.get(f"{server.issuer}/openapi.yaml", timeout=TIMEOUT_S)
    assert answer.status_code == 200 and answer.headers["Content-Type"] == "application/yaml"
    return yaml.safe_load(answer.text)


def operations(described: dict) -> dict[str, dict]:
    return {f"{method} {path}": operation for path, methods in described["paths"].items() for method, operation in methods.items()}


def basic(client: dict) -> str:
    return base64.b64encode(f"{client['client_id']}:{client['client_secret']}".encode()).decode()


@dataclass
class Machine:
    """A client that gets tokens for itself."""

    server: Server
    scope: str
    client: dict

    @staticmethod
    def add(server: Server, *scopes: str) -> "Machine":
        named = [word for scope in scopes for word in ("--scope", scope)]
        made = server.admin("clients", "create", "--name", "schemathesis", "--grant", "client_credentials", *named)
        return Machine(server, " ".join(scopes), made)

    def token(self, resource: str | None = None) -> str:
        asked = {"grant_type": "client_credentials", "scope": self.scope} | ({"resource": resource} if resource else {})
        answer = requests.post(f"{self.server.issuer}/token", auth=(self.client["client_id"], self.client["client_secret"]), data=asked, timeout=TIMEOUT_S)
        assert answer.ok, answer.text
        return answer.json()["access_token"]


def schemathesis(folder: Path, server: Server, *options: str, holder: tuple[ECKey, dict] | None = None) -> subprocess.CompletedProcess:
    """A run against the server, by its own description. `holder` shows a token that is bound to its key."""
    environment = os.environ | {"PYTHONHASHSEED": "0", "NO_COLOR": "1", "PYTHONPATH": str(HERE), "SCHEMATHESIS_HOOKS": "schemathesis_hooks"}
    if holder:
        key, token = holder
        environment["PANDO_SCHEMATHESIS_HOLDER"] = json.dumps({"access_token": token["access_token"], "key": key.as_dict(private=True)})
    reports = os.environ.get("PANDO_SCHEMATHESIS_REPORT")
    kept = ("--report", "junit,har", "--report-dir", str(Path(reports).resolve())) if reports else ()
    return subprocess.run([PROGRAMS / "schemathesis", "--config-file", HERE / "schemathesis.toml", "run", f"{server.issuer}/openapi.yaml", *kept, *options],
                          cwd=folder, env=environment, text=True, capture_output=True, timeout=300)


def generated_client(folder: Path, server: Server):
    """What openapi-python-client makes of the description, imported whole."""
    (folder / "openapi.yaml").write_text(requests.get(f"{server.issuer}/openapi.yaml", timeout=TIMEOUT_S).text)
    environment = os.environ | {"PATH": f"{PROGRAMS}:{os.environ['PATH']}"}  # it calls ruff
    made = subprocess.run([PROGRAMS / "openapi-python-client", "generate", "--path", "openapi.yaml", "--output-path", "pando_client", "--meta", "none"],
                          cwd=folder, env=environment, text=True, capture_output=True, timeout=300)
    assert made.returncode == 0, made.stdout + made.stderr
    sys.path.insert(0, str(folder))
    try:
        package = importlib.import_module("pando_client")
        for found in pkgutil.walk_packages(package.__path__, "pando_client."):
            importlib.import_module(found.name)
    finally:
        sys.path.remove(str(folder))
    return package, made.stdout + made.stderr
