"""A README of `examples/`, whose shell lines run as they stand there."""
from __future__ import annotations

import re
import shlex
import subprocess

from server import BINARY, CHECKOUT, Server, plain_environment

EXAMPLES = CHECKOUT / "examples"


class Readme:
    """`settings` are variables for which its lines have defaults: the issuer, ports, a folder for what they make. `options` are added to each of its lines
    with `pando`; without a server, its lines can have none."""

    def __init__(self, server: Server | None, example: str, **settings: str):
        self.text, self.options = (EXAMPLES / example / "README.md").read_text(), ""
        of_server = server.environment | {"ISS": server.issuer} if server else plain_environment()
        self.environment = of_server | {"PYTHONDONTWRITEBYTECODE": "1"} | settings

    def script(self, label: str = "sh") -> str:
        """The one block that begins so, with the program of these tests as `pando`."""
        [script] = re.findall(rf"^```{label}\n(.*?)^```$", self.text, re.DOTALL | re.MULTILINE)
        return f"pando() {{ {shlex.quote(str(BINARY))} \"$@\" {self.options}; }}\n{script}"

    def command(self, label: str = "sh") -> list[str]:
        return ["bash", "-euo", "pipefail", "-c", self.script(label)]

    def run(self, label: str = "sh") -> str:
        """What it prints."""
        finished = subprocess.run(self.command(label), cwd=CHECKOUT, env=self.environment, text=True, capture_output=True, stdin=subprocess.DEVNULL,
                                  timeout=300)
        assert finished.returncode == 0, f"{self.script(label)}\n{finished.stdout}{finished.stderr}"
        return finished.stdout
