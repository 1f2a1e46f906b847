"""Passwords that a real directory knows: OpenLDAP's slapd, searched for entries and asked for passwords."""
from __future__ import annotations

import secrets
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests

from authority import Authority
from browsing import Browser
from server import Cluster, CommandFailed, Server
from slapd import ADMIN, ADMIN_PASSWORD, SUFFIX, Slapd, unpack

SECRET = "what eva always types"
PEOPLE = f"""dn: uid=eva,{SUFFIX}
objectClass: inetOrgPerson
uid: eva
cn: Eva
sn: Example
givenName: Eva
displayName: Eva of the Directory
mail: eva@uni.example
userPassword: {SECRET}

dn: uid=ben,{SUFFIX}
objectClass: inetOrgPerson
uid: ben
cn: Ben
sn: Example
userPassword: {SECRET} too
"""


@pytest.fixture(scope="module")
def unpacked(folder) -> Path:
    root = unpack(Path(tempfile.mkdtemp(dir=folder)))
    if root is None:
        pytest.skip("slapd is not installed here, and Debian's package cannot be fetched")
    return root


@pytest.fixture(scope="module")
def slapd(folder, unpacked):
    slapd = Slapd(unpacked, Path(tempfile.mkdtemp(dir=folder)) / "run", PEOPLE)
    yield slapd.start()
    slapd.stop()


@pytest.fixture(scope="module")
def cluster(folder):
    cluster = Cluster(Path(tempfile.mkdtemp(dir=folder)) / "postgres")
    try:
        yield cluster.start()
    finally:
        cluster.discard()


@pytest.fixture(scope="module")
def directed(folder, cluster, slapd) -> Server:
    password = folder / "ldap-password"
    password.write_text(ADMIN_PASSWORD + "\n")
    server = Server(folder / "directed", cluster.url("directed"), PANDO_LDAP_URL=slapd.url, PANDO_LDAP_TLS="none", PANDO_LDAP_BASE=SUFFIX,
                    PANDO_LDAP_USER=ADMIN, PANDO_LDAP_PASSWORD_FILE=str(password), PANDO_LDAP_INSTITUTION="uni", PANDO_ROLES="idp,crawler")
    server.folder.mkdir(exist_ok=True)
    server.start()
    server.sql("insert into institution (id, name, domains, created_at) values ('uni', 'University', '{uni.example}', now())")
    yield server
    server.clear()


def log_in(server: Server, username: str, password: str):
    """The page after the password."""
    browser = Browser(server.issuer, username, password)
    page = browser.open(f"{server.issuer}/login?return_to=/account")
    form = next(form for form in page.forms if form.passwords)
    return browser.submit(page, form, username=username, password=password)


def test_who_is_right_there_has_an_account_with_what_the_directory_says(directed):
    page = log_in(directed, "eva", SECRET)

    assert page.url == f"{directed.issuer}/account" and "Eva of the Directory" in page.text
    account = directed.admin("accounts", "show", "eva")
    assert account["email"] == "eva@uni.example" and account["email_verified"] is True


def test_another_persons_password_none_and_syntax_are_wrong(directed):
    for username, password in [("eva", f"{SECRET} too"), ("nobody", SECRET), ("*", SECRET), ("eva)(uid=*", SECRET), ("eva", " ")]:
        page = log_in(directed, username, password)

        assert page.url != f"{directed.issuer}/account" and any(form.passwords for form in page.forms), username


def test_the_operators_own_password_is_good_beside_it(directed):
    name = f"o{secrets.token_hex(5)}"
    directed.admin("accounts", "create", "--username", name, "--password-stdin", stdin="a sentence of the operator")

    assert log_in(directed, name, "a sentence of the operator").url == f"{directed.issuer}/account"


def test_a_directory_that_is_away_is_503_and_no_wrong_password(directed, slapd):
    slapd.stop()
    try:
        for _ in range(12):
            page = log_in(directed, "eva", SECRET)
            assert page.status == 503, page.text[-500:]
    finally:
        slapd.start()

    assert log_in(directed, "eva", SECRET).url == f"{directed.issuer}/account"


def test_the_server_answers_while_a_directory_is_away(directed, slapd):
    slapd.stop()
    try:
        assert requests.get(f"{directed.issuer}/readyz", timeout=5).status_code == 200
    finally:
        slapd.start()


# Over TLS


class Secured:
    """A directory that speaks TLS by a certificate for `host`, and the authority that this is of."""

    def __init__(self, root: Path, folder: Path, host: str):
        self.authority = folder / "authority.pem"
        issuing = Authority("Authority of the directory")
        self.authority.write_bytes(issuing.own)
        # Not by a name: for libldap this machine's own stands in place of `localhost`.
        self.slapd = Slapd(root, folder / "run", PEOPLE, issuing.leaf(folder, "directory", host))


@pytest.fixture(scope="module")
def secured(folder, unpacked):
    """By the host of its certificate."""
    made = {host: Secured(unpacked, Path(tempfile.mkdtemp(dir=folder)), host) for host in ("127.0.0.1", "127.0.0.2")}
    for one in made.values():
        one.slapd.start()
    yield made
    for one in made.values():
        one.slapd.stop()


@pytest.fixture(scope="module")
def asking(folder, cluster):
    """Starts the same server anew with other settings of the directory."""
    password = folder / "ldap-password"
    password.write_text(ADMIN_PASSWORD + "\n")
    server = Server(folder / "secured", cluster.url("secured"), PANDO_LDAP_BASE=SUFFIX, PANDO_LDAP_USER=ADMIN, PANDO_LDAP_PASSWORD_FILE=str(password),
                    PANDO_LDAP_INSTITUTION="uni", PANDO_ROLES="idp,crawler")
    server.folder.mkdir(exist_ok=True)

    @contextmanager
    def with_settings(url: str, authority: Path | None):
        server.environment |= {"PANDO_LDAP_URL": url, "PANDO_LDAP_CA": str(authority or "")}
        server.start()
        server.sql("insert into institution (id, name, domains, created_at) values ('uni', 'University', '{uni.example}', now()) on conflict do nothing")
        try:
            yield server
        finally:
            server.kill()

    yield with_settings
    server.clear()


def urls(slapd: Slapd) -> list[str]:
    """With TLS from the first byte, and after StartTLS, which is the default for `ldap://`."""
    return [slapd.secure_url, slapd.url]


def test_a_directory_is_asked_over_tls_where_its_authority_is_known(asking, secured):
    for url in urls(secured["127.0.0.1"].slapd):
        with asking(url, secured["127.0.0.1"].authority) as server:
            assert log_in(server, "eva", SECRET).url == f"{server.issuer}/account", url
            wrong = log_in(server, "eva", f"{SECRET} too")
            assert wrong.status != 503 and any(form.passwords for form in wrong.forms), url


def test_a_directory_of_an_unknown_authority_or_another_name_is_away_and_nobody_gets_in(asking, secured):
    """Neither by an authority that was not named, nor by the system's, nor with a certificate for another host."""
    ours, foreign = secured["127.0.0.1"], secured["127.0.0.2"]
    refused = [(url, foreign.authority) for url in urls(ours.slapd)] + [(ours.slapd.secure_url, None)] + [(url, foreign.authority) for url in urls(foreign.slapd)]
    for url, authority in refused:
        with asking(url, authority) as server:
            assert log_in(server, "ben", f"{SECRET} too").status == 503, (url, authority)
            with pytest.raises(CommandFailed) as nobody:
                server.admin("accounts", "show", "ben")
            assert nobody.value.exit_code == 3
