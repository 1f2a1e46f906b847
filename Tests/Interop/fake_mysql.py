"""A server of MySQL's protocol which does what no good one would, and remembers what it was sent: one table, one connection at a time."""
from __future__ import annotations

import socketserver
import ssl
import threading
from pathlib import Path

OK, CLEAR = b"\0\0\0\2\0\0\0", b"\xfemysql_clear_password\0"
# CLIENT_LONG_PASSWORD, CONNECT_WITH_DB, LOCAL_FILES, PROTOCOL_41, TRANSACTIONS, SECURE_CONNECTION, PLUGIN_AUTH.
CAPABILITIES, CLIENT_SSL, SSL_REQUEST_BYTES = 0x8A289, 0x800, 32


def error(text: str) -> bytes:
    return b"\xff\x51\x04#HY000" + text.encode()


def file_wanted(path: str) -> bytes:
    """What a server answers to LOAD DATA LOCAL INFILE, here to a statement that is none."""
    return b"\xfb" + path.encode()


def _text(value: str) -> bytes:
    return bytes([len(value)]) + value.encode()


class FakeMySQL:
    """`greeting`: in place of the server's first words. `asks`: what it answers to who logs in, before it lets them in. `answer`: to every statement. Without
    them it is a good server, by TLS where it has a certificate (`files`), whose table is `rows`."""

    def __init__(self, rows: list[dict[str, str]], *, files: tuple[Path, Path] | None = None, greeting: bytes | None = None, asks: bytes | None = None,
                 answer: bytes | None = None):
        self.rows, self.greeting, self.asks, self.answer, self.heard, self.statements = rows, greeting, asks, answer, b"", []
        self.tls = None
        if files:
            self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.tls.load_cert_chain(*files)
        self.listener = socketserver.TCPServer(("127.0.0.1", 0), type("Handler", (_Conversation,), {"fake": self}))
        self.port = self.listener.server_address[1]

    def __enter__(self) -> "FakeMySQL":
        threading.Thread(target=self.listener.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.listener.shutdown()
        self.listener.server_close()

    def table(self, rows: list[tuple[str, ...]], columns: list[str]) -> list[bytes]:
        end = b"\xfe\0\0\2\0"
        described = [_text("def") + b"\0" * 3 + _text(name) + b"\0\x0c\x2d\0\xff\0\0\0\xfd\0\0\0\0\0" for name in columns]
        return [bytes([len(columns)]), *described, end, *[b"".join(map(_text, row)) for row in rows], end]

    def answers(self, statement: str) -> list[bytes]:
        if self.answer is not None:
            return [self.answer]
        if statement.startswith("start transaction"):
            return [OK]
        columns = list(self.rows[0])
        if statement.startswith("show columns"):
            return self.table([(name,) for name in columns], ["Field"])
        asked = [name.strip("` ") for name in statement.removeprefix("select ").split(" from ")[0].split(",")]
        return self.table([tuple(row[name] for name in asked) for row in self.rows], asked)


class _Conversation(socketserver.BaseRequestHandler):
    fake: FakeMySQL

    def handle(self):
        self.request.settimeout(10)
        try:
            self.converse()
        except (OSError, EOFError):
            pass  # whoever mistrusts it leaves

    def converse(self):
        self.place = 0
        capabilities = CAPABILITIES | (CLIENT_SSL if self.fake.tls else 0)
        self.say(self.fake.greeting or b"\x0a8.0.0-fake\0" + b"\1\0\0\0" + b"12345678\0" + (capabilities & 0xFFFF).to_bytes(2, "little") + b"\x2d\2\0"
                 + (capabilities >> 16).to_bytes(2, "little") + b"\x15" + b"\0" * 10 + b"123456789012\0" + b"mysql_native_password\0")
        login = self.hear()
        if self.fake.tls and len(login) == SSL_REQUEST_BYTES:
            self.request = self.fake.tls.wrap_socket(self.request, server_side=True)
            self.hear()
        if self.fake.asks:
            self.say(self.fake.asks)
            self.hear()
        self.say(OK)
        while True:
            said = self.hear()
            if said[:1] != b"\x03":
                return
            self.fake.statements.append(said[1:].decode())
            for packet in self.fake.answers(self.fake.statements[-1]):
                self.say(packet)
            if self.fake.answer is not None:
                # A file comes in as many packets as it takes, and an empty one.
                while self.fake.answer.startswith(b"\xfb") and self.hear():
                    pass
                return

    def say(self, packet: bytes):
        self.request.sendall(len(packet).to_bytes(3, "little") + bytes([self.place]) + packet)
        self.place += 1

    def hear(self) -> bytes:
        header = self.exactly(4)
        said = self.exactly(int.from_bytes(header[:3], "little"))
        self.place = header[3] + 1
        self.fake.heard += said
        return said

    def exactly(self, count: int) -> bytes:
        read = b""
        while len(read) < count:
            more = self.request.recv(count - len(read))
            if not more:
                raise EOFError
            read += more
        return read
