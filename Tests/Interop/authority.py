"""Certificates for servers and clients of the tests, by `cryptography`."""
from __future__ import annotations

import datetime
import ipaddress
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


class Authority:
    """Issues certificates, for other authorities too."""

    def __init__(self, name: str, above: "Authority | None" = None):
        self.key, self.name = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        self.own = (above or self).issue(self.name, self.key.public_key(), x509.BasicConstraints(True, None), critical=True)

    def issue(self, name: x509.Name, key, extension: x509.ExtensionType, critical: bool = False, days: int = 30) -> bytes:
        now = datetime.datetime.now(datetime.timezone.utc)
        built = (x509.CertificateBuilder().subject_name(name).issuer_name(self.name).public_key(key).serial_number(x509.random_serial_number())
                 .not_valid_before(now - datetime.timedelta(days=1)).not_valid_after(now + datetime.timedelta(days=days)).add_extension(extension, critical))
        return built.sign(self.key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)

    def leaf(self, folder: Path, name: str, host: str, chain: bytes = b"", days: int = 30) -> tuple[Path, Path]:
        """Files with a certificate for a host by its name or address, what comes with it, and its key."""
        key = ec.generate_private_key(ec.SECP256R1())
        try:
            shown: x509.GeneralName = x509.IPAddress(ipaddress.ip_address(host))
        except ValueError:
            shown = x509.DNSName(host)
        certificate = self.issue(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]), key.public_key(), x509.SubjectAlternativeName([shown]), days=days)
        files = folder / f"{name}.pem", folder / f"{name}.key"
        files[0].write_bytes(certificate + chain)
        files[1].write_bytes(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
        return files
