"""Stands between a server and PostgreSQL, speaks its protocol, and breaks what it is told to break: the product has no hook for it."""
from __future__ import annotations

import asyncio
import re
import struct
import threading
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

# Frontend messages at which something can break "between two statements": a statement runs, a round trip ends (which is the commit of what is in it).
EXECUTE, SYNC, QUERY = b"E", b"S", b"Q"
CANCEL = 80_877_102
# Of a statement in one grant: what waits, as a revocation for a process that is gone, asks the same until its time is over.
REPEATED = 3


@dataclass
class Point:
    """The `number`th of what the server asks from now on. `after`: PostgreSQL has done it, and its answer goes nowhere."""

    number: int
    after: bool
    strike: Callable[[], None] | None = None
    seen: int = 0
    hit: str | None = None
    struck: threading.Event = field(default_factory=threading.Event)
    met: Counter[tuple[bytes, str]] = field(default_factory=Counter)

    def counts(self, kind: bytes) -> bool:
        """Answers come with the end of a round trip; so there only is there an answer to lose."""
        return kind in (SYNC, QUERY) or (kind == EXECUTE and not self.after)

    def reached(self, kind: bytes, sql: str) -> bool:
        if self.hit is not None or not self.counts(kind) or self.met[kind, sql] == REPEATED:
            return False
        self.met[kind, sql] += 1
        self.seen += 1
        if self.seen < self.number:
            return False
        self.hit = f"{'end of' if kind == SYNC else ''} {' '.join(sql.split())[:60]}".strip()
        return True


class _Link:
    """One connection of the server, and ours to PostgreSQL for it."""

    def __init__(self, wire: "Wire", client: tuple, server: tuple):
        self.wire = wire
        (self.from_client, self.to_client), (self.from_server, self.to_server) = client, server
        self.statements: dict[bytes, str] = {}
        self.portals: dict[bytes, str] = {}
        self.last = ""
        # Round trips that were asked for, and that are answered; what belongs to the one numbered `lost` is not passed on.
        self.asked = self.answered = 0
        self.lost: int | None = None
        self.point: Point | None = None

    async def run(self) -> None:
        head = await self.from_client.readexactly(8)
        length, code = struct.unpack("!ii", head)
        self.to_server.write(head + await self.from_client.readexactly(length - 8))
        if code == CANCEL:
            await self.to_server.drain()
            return
        ways = [asyncio.ensure_future(self._forward()), asyncio.ensure_future(self._back())]
        try:
            done, _ = await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            for way in done:
                way.exception()
        finally:
            for way in ways:
                way.cancel()

    def cut(self) -> None:
        for writer in (self.to_client, self.to_server):
            writer.transport.abort()

    def sql(self, kind: bytes, body: bytes) -> str:
        if kind == b"P":
            name, text, _ = body.split(b"\0", 2)
            self.statements[name] = text.decode()
        elif kind == b"B":
            portal, name, _ = body.split(b"\0", 2)
            self.portals[portal] = self.statements.get(name, "")
        elif kind == EXECUTE:
            self.last = self.portals.get(body.split(b"\0", 1)[0], "")
        elif kind == QUERY:
            self.last = body.rstrip(b"\0").decode()
        return self.last

    async def _forward(self) -> None:
        while True:
            head = await self.from_client.readexactly(5)
            kind, body = head[:1], await self.from_client.readexactly(struct.unpack("!i", head[1:])[0] - 4)
            sql = self.sql(kind, body)
            await self.wire.open.wait()
            if kind in (SYNC, QUERY):
                self.asked += 1
                if self.wire.delay_s:
                    await asyncio.sleep(self.wire.delay_s)
            if kind in (EXECUTE, SYNC, QUERY):
                self.wire.heard[sql] += 1
            point = self.wire.point
            if point and sql not in self.wire.background and point.reached(kind, sql):
                if not point.after:
                    self.strike(point)
                    return
                self.lost, self.point = self.asked, point
            self.to_server.write(head + body)
            await self.to_server.drain()

    async def _back(self) -> None:
        # What comes before the first round trip is the greeting, whose end looks like a round trip's.
        greeted = False
        while True:
            head = await self.from_server.readexactly(5)
            body = await self.from_server.readexactly(struct.unpack("!i", head[1:])[0] - 4)
            await self.wire.open.wait()
            if self.lost is not None and self.answered == self.lost - 1:
                if head[:1] == b"Z":
                    self.strike(self.point)
                    return
                continue
            if head[:1] == b"Z":
                self.answered, greeted = self.answered + greeted, True
            self.to_client.write(head + body)
            await self.to_client.drain()

    def strike(self, point: Point) -> None:
        if point.strike:
            point.strike()
        self.cut()
        point.struck.set()


class Wire:
    """`url` is the conninfo for the server. Nothing breaks until a test says so."""

    def __init__(self, folder: Path, conninfo: str):
        place, port = re.search(r"host=(\S+)", conninfo)[1], re.search(r"port=(\S+)", conninfo)[1]
        self.upstream, self.socket = f"{place}/.s.PGSQL.{port}", folder / f".s.PGSQL.{port}"
        self.url = conninfo.replace(f"host={place}", f"host={folder}")
        self.point: Point | None = None
        self.delay_s = 0.0
        self.heard: Counter[str] = Counter()
        self.background: set[str] = set()
        self._links: set[_Link] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._do(self._listen())

    def _do(self, work):
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(timeout=30)

    async def _listen(self) -> None:
        self.open = asyncio.Event()
        self.open.set()
        self._server = await asyncio.start_unix_server(self._serve, self.socket, backlog=200)
        # PostgreSQL itself may be another user, as a standby is that comes this way.
        self.socket.chmod(0o777)

    async def _serve(self, reader, writer) -> None:
        try:
            server = await asyncio.open_unix_connection(self.upstream)
        except OSError:
            writer.transport.abort()
            return
        link = _Link(self, (reader, writer), server)
        self._links.add(link)
        try:
            await link.run()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            self._links.discard(link)
            for end in (writer, server[1]):
                end.close()

    def learn(self, seconds: float) -> None:
        """What is asked while nobody wants anything: housekeeping, which is in no grant."""
        self.heard.clear()
        time.sleep(seconds)
        self.background |= set(self.heard)

    @contextmanager
    def breaking(self, point: Point):
        self.point = point
        try:
            yield point
        finally:
            self.point = None

    def silence(self, on: bool) -> None:
        """Takes everything and passes nothing on: a network that swallows packets."""
        self._loop.call_soon_threadsafe(self.open.clear if on else self.open.set)

    def cut_all(self) -> None:
        self._loop.call_soon_threadsafe(lambda: [link.cut() for link in list(self._links)])

    def close(self) -> None:
        async def end() -> None:
            self._server.close()
            for link in list(self._links):
                link.cut()
            await asyncio.sleep(0)
        self._do(end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=10)
        self.socket.unlink(missing_ok=True)
