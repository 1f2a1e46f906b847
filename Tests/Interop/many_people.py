"""People by the hundred thousand: how long a file and SCIM take, and how much memory. Run by hand, from the folder of this file:

    PANDO_BINARY=../../.build/release/pando python many_people.py [100000]
"""
from __future__ import annotations

import re
import resource
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import requests

from described import Machine
from server import BINARY, CHECKOUT, Server

BULK, LANES = 500, 4
USER = "urn:ietf:params:scim:schemas:core:2.0:User"


def most_memory_mib(process: int) -> float:
    """The most that a process has held at once."""
    return int(re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{process}/status").read_text())[1]) / 1_024


def import_file(server: Server, file: Path, *options: str) -> tuple[float, float]:
    """Seconds, and MiB of the command."""
    began = time.monotonic()
    subprocess.run([BINARY, "admin", "accounts", "import", str(file), *options], cwd=CHECKOUT, env=server.environment, check=True)
    return time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1_024


def provision(server: Server, token: str, start: int, count: int) -> None:
    operations = [{"method": "POST", "path": "/Users", "bulkId": str(number),
                   "data": {"schemas": [USER], "userName": f"scim{number}", "emails": [{"value": f"scim{number}@uni.example"}]}}
                  for number in range(start, start + count)]
    body = {"schemas": ["urn:ietf:params:scim:api:messages:2.0:BulkRequest"], "Operations": operations}
    while True:
        answer = requests.post(f"{server.issuer}/scim/v2/Bulk", json=body, headers={"Authorization": f"Bearer {token}"}, timeout=600)
        if answer.status_code != 429:
            break
        time.sleep(int(answer.headers["Retry-After"]))
    answer.raise_for_status()
    assert {operation["status"] for operation in answer.json()["Operations"]} == {"201"}


def main(count: int) -> None:
    with tempfile.TemporaryDirectory() as place:
        server, file = Server(Path(place)), Path(place) / "people.csv"
        with file.open("w") as lines:
            lines.write("username,email,given_name,family_name,external_id,eduperson_affiliation\n")
            for number in range(count):
                lines.write(f"csv{number},csv{number}@uni.example,Given,Family {number},{number},student;member\n")
        with server.running():
            server.admin("institutions", "create", "uni.example", "--name", "University")
            for what, options in [("dry run", ["--dry-run"]), ("import", []), ("the same again", [])]:
                seconds, memory = import_file(server, file, "--institution", "uni.example", *options)
                print(f"{count} people by CSV, {what}: {seconds:.0f} s, at most {memory:.0f} MiB")
            began = time.monotonic()
            exported = server.run("admin", "accounts", "export", "--institution", "uni.example").stdout.count("\n")
            print(f"{exported - 1} people written: {time.monotonic() - began:.0f} s")
            machine, began = Machine.add(server, "scim"), time.monotonic()
            with ThreadPoolExecutor(LANES) as lanes:
                # Tokens last minutes.
                list(lanes.map(lambda start: provision(server, machine.token(), start, min(BULK, count - start)), range(0, count, BULK)))
            print(f"{count} people by SCIM: {time.monotonic() - began:.0f} s, the server at most {most_memory_mib(server.process.pid):.0f} MiB")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
