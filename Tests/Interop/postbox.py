"""A mail server by aiosmtpd, which keeps what it is handed; with TLS and a login where it is told so."""
from __future__ import annotations

import re
import ssl
from email import message_from_bytes, policy
from email.message import EmailMessage

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword

from server import free_port
from waiting import eventually


class Mailbox:
    """`answer`: what it says to a message in place of taking it, e.g. `451 later`."""

    def __init__(self, tls: ssl.SSLContext | None = None, login: tuple[str, str] | None = None, port: int | None = None):
        self.messages: list[EmailMessage] = []
        self.answer: str | None = None
        self.refused = 0
        self.login, self.port = login, port or free_port()
        needs = {"tls_context": tls, "require_starttls": True} if tls else {}
        if login:
            needs |= {"authenticator": self.check, "auth_required": True}
        self.controller = Controller(self, hostname="127.0.0.1", port=self.port, **needs)
        self.controller.start()

    def check(self, server, session, envelope, mechanism, data) -> AuthResult:
        assert isinstance(data, LoginPassword)
        return AuthResult(success=(data.login.decode(), data.password.decode()) == self.login)

    async def handle_DATA(self, server, session, envelope) -> str:
        if self.answer:
            self.refused += 1
            return self.answer
        message = message_from_bytes(envelope.content, policy=policy.default)
        message["X-Envelope-To"] = ", ".join(envelope.rcpt_tos)
        self.messages.append(message)
        return "250 OK"

    def next(self, to: str, within_s: float = 30, page: str = "") -> EmailMessage:
        """The oldest to that address, which is taken out; with a `page`, of those that lead there."""

        def oldest() -> EmailMessage | None:
            return next((one for one in self.messages if one["X-Envelope-To"] == to and f"/recover/{page}" in text(one)), None)

        found = eventually(oldest, within_s=within_s)
        assert found is not None, f"no mail to {to}, but {[message['X-Envelope-To'] for message in self.messages]}"
        self.messages.remove(found)
        return found

    def close(self) -> None:
        self.controller.stop()


def text(message: EmailMessage, kind: str = "plain") -> str:
    return message.get_body(preferencelist=(kind,)).get_content()


def link(message: EmailMessage, page: str) -> str:
    """The address in the plain text; the HTML must have the same."""
    found = [line for line in text(message).splitlines() if re.fullmatch(rf"http\S+/recover/{page}\?link=\S+", line)]
    assert len(found) == 1, text(message)
    assert f'href="{found[0]}"' in text(message, "html")
    return found[0]
