"""A program of `examples/`, started as its README says, in a process group of its own."""
from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from pathlib import Path

from server import plain_environment

LISTENS_WITHIN_S = 60


class Example:
    """`port` is where it listens on this machine; what it says goes to `log`."""

    def __init__(self, port: int, log: Path):
        self.port, self.log, self.process = port, log, None

    def start(self, command: list[str], env: dict[str, str] | None = None, cwd: Path | None = None) -> "Example":
        """Returns when it listens."""
        assert self.process is None, "it runs already"
        # A pipe would fill up, and our proxies are for the world.
        given = plain_environment() | {"PYTHONDONTWRITEBYTECODE": "1", "NO_PROXY": "127.0.0.1,localhost", "no_proxy": "127.0.0.1,localhost"} | (env or {})
        with self.log.open("ab") as log:
            self.process = subprocess.Popen([str(word) for word in command], cwd=cwd, env=given, stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=subprocess.STDOUT, start_new_session=True)
        deadline = time.monotonic() + LISTENS_WITHIN_S
        while not self.listens():
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise AssertionError(f"{command} does not listen at {self.port}:\n{self.tail()}")
            time.sleep(0.05)
        return self

    def listens(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
            return True
        except OSError:
            return False

    def stop(self) -> None:
        """With its children; killed where it does not listen to reason."""
        if self.process is None:
            return
        process, self.process = self.process, None
        for sign in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(process.pid, sign)
            except ProcessLookupError:
                pass
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                continue
        assert process.poll() is not None, "it does not end"

    def tail(self, lines: int = 40) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:]) if self.log.exists() else ""
