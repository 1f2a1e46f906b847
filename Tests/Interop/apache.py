"""Debian's Apache in a folder of its own, as a user without rights; and the application behind it, which shows what it is told."""
from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import requests

from authority import Authority
from server import free_port
from waiting import eventually

PROGRAM, MODULES = Path("/usr/sbin/apache2"), Path("/usr/lib/apache2/modules")
NEEDED = ("mpm_event", "authn_core", "authz_core", "authz_user", "alias", "headers", "proxy", "proxy_http", "socache_shmcb", "ssl")
WITHOUT_RIGHTS = "www-data"


class Told:
    """The application behind a proxy: answers with the headers of the request, as JSON that a browser shows as it is."""

    def __init__(self):
        self.listener = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        threading.Thread(target=self.listener.serve_forever, daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.listener.server_port}"

    def close(self) -> None:
        self.listener.shutdown()
        self.listener.server_close()


class _Handler(BaseHTTPRequestHandler):
    def log_message(self, *arguments) -> None:
        """Quiet."""

    def do_GET(self) -> None:
        body = json.dumps(dict(self.headers.items())).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Apache:
    """One site, at `secure_port` with TLS, where browsers of the tests are led to from port 443; at `port` in the clear for who asks from this machine."""

    def __init__(self, folder: Path, host: str, *modules: str):
        assert PROGRAM.exists(), f"{PROGRAM} is missing: deploy/packages.sh test installs it"
        # In the order of the alphabet, as Debian loads them: `auth_openidc` answers before `proxy` does.
        self.folder, self.host, self.modules = folder, host, sorted(NEEDED + modules)
        self.port, self.secure_port, self.process = free_port(), free_port(), None
        self.user = WITHOUT_RIGHTS if os.geteuid() == 0 else None
        self.certificate, self.key = Authority("apache").leaf(folder, "apache", host)

    def start(self, site: str) -> "Apache":
        loading = "\n".join(f"LoadModule {name}_module {MODULES}/mod_{name}.so" for name in self.modules)
        (self.folder / "apache.conf").write_text(
            f"ServerRoot {self.folder}\nServerName {self.host}\nPidFile {self.folder}/apache.pid\nErrorLog {self.folder}/error.log\nLogLevel notice\n"
            f"DocumentRoot {self.folder}/site\nDefaultRuntimeDir {self.folder}\nMutex file:{self.folder}\nStartServers 1\nListen 127.0.0.1:{self.port}\nListen 127.0.0.1:{self.secure_port}\n"
            f"{loading}\n{site}\n<VirtualHost 127.0.0.1:{self.secure_port}>\nServerName {self.host}\nSSLEngine on\nSSLCertificateFile {self.certificate}\n"
            f"SSLCertificateKeyFile {self.key}\nRequestHeader set Host {self.host}:443 early\n</VirtualHost>\n")
        (self.folder / "site").mkdir()
        self.hand_over()
        self.process = subprocess.Popen([PROGRAM, "-f", self.folder / "apache.conf", "-D", "FOREGROUND"], user=self.user, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=(self.folder / "stderr").open("wb"), start_new_session=True)
        assert eventually(self.answers, within_s=30, every_s=0.05) and self.process.poll() is None, self.tail()
        return self

    def hand_over(self) -> None:
        """The folder, and the way to it, to the user who runs it."""
        if self.user:
            for path in (self.folder, *self.folder.rglob("*")):
                shutil.chown(path, self.user)
            self.folder.parent.chmod(0o711)

    def answers(self) -> bool:
        try:
            return self.process.poll() is not None or requests.get(f"http://127.0.0.1:{self.port}/", timeout=5).status_code > 0
        except requests.RequestException:
            return False

    def tail(self) -> str:
        logs = [self.folder / "stderr", self.folder / "error.log"]
        return "\n".join(log.read_text(errors="replace")[-3000:] for log in logs if log.exists())

    def close(self) -> None:
        if self.process:
            self.process.terminate()
            self.process.wait(timeout=20)
            self.process = None
