"""OpenLDAP's slapd, run as whoever runs the tests. It need not be installed: `unpack` takes it out of Debian's packages."""
from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from pathlib import Path

from server import free_port

SUFFIX, ADMIN, ADMIN_PASSWORD = "dc=uni,dc=example", "cn=admin,dc=uni,dc=example", "the searching entry's own"
PACKAGES = ("slapd", "libltdl7", "libodbc2", "libwrap0")


def unpack(folder: Path) -> Path | None:
    """Where slapd's files are: `/` where it is installed, else a folder; `None` where there is none, and none can be fetched."""
    if Path("/usr/sbin/slapd").exists():
        return Path("/")
    if not shutil.which("apt-get"):
        return None
    root = folder / "slapd"
    root.mkdir()
    fetched = subprocess.run(["apt-get", "-q", "download", *PACKAGES], cwd=folder, capture_output=True, timeout=120)
    if fetched.returncode != 0:
        return None
    for package in folder.glob("*.deb"):
        subprocess.run(["dpkg-deb", "-x", package, root], check=True, timeout=60)
    return root


class Slapd:
    """A directory of `entries`, in LDIF. With `certificate`, the files of one and of its key, it speaks TLS: at `secure_url` at once, at `url` where StartTLS
    asks for it."""

    def __init__(self, root: Path, folder: Path, entries: str, certificate: tuple[Path, Path] | None = None):
        self.root, self.folder, self.port = root, folder, free_port()
        self.url, self.process = f"ldap://127.0.0.1:{self.port}", None
        self.secure_url = f"ldaps://127.0.0.1:{free_port()}" if certificate else None
        self.environment = os.environ | {"LD_LIBRARY_PATH": str(root / "usr/lib/x86_64-linux-gnu")} if root != Path("/") else dict(os.environ)
        (folder / "db").mkdir(parents=True)
        schema = root / "etc/ldap/schema"
        tls = f"TLSCertificateFile {certificate[0]}\nTLSCertificateKeyFile {certificate[1]}" if certificate else ""
        (folder / "slapd.conf").write_text(f"""
include {schema}/core.schema
include {schema}/cosine.schema
include {schema}/inetorgperson.schema
modulepath {root / "usr/lib/ldap"}
{tls}
moduleload back_mdb
database mdb
suffix "{SUFFIX}"
rootdn "{ADMIN}"
rootpw "{ADMIN_PASSWORD}"
directory {folder / "db"}
access to attrs=userPassword by anonymous auth by * none
access to * by self read by * none
""")
        (folder / "entries.ldif").write_text(f"dn: {SUFFIX}\nobjectClass: dcObject\nobjectClass: organization\ndc: uni\no: Uni\n\n{entries}")
        subprocess.run([root / "usr/sbin/slapadd", "-f", folder / "slapd.conf", "-l", folder / "entries.ldif"], env=self.environment, check=True, timeout=60,
                       capture_output=True)

    def start(self) -> "Slapd":
        urls = " ".join(filter(None, (self.url, self.secure_url)))
        self.process = subprocess.Popen([self.root / "usr/sbin/slapd", "-d", "0", "-f", self.folder / "slapd.conf", "-h", urls], env=self.environment,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 20
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return self
            except OSError:
                assert self.process.poll() is None, f"slapd ended with {self.process.returncode}"
                assert time.monotonic() < deadline, "slapd does not listen"
                time.sleep(0.05)

    def stop(self) -> None:
        if self.process and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(timeout=20)
