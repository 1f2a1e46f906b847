"""What operators do on the command line with passkeys and wallets. Rows are laid down by hand: how they come to be is the business of other tests."""
from __future__ import annotations

import base64
import secrets

import pytest

from phone import person
from server import CommandFailed, Server


def text(key: bytes) -> str:
    return base64.urlsafe_b64encode(key).decode().rstrip("=")


def address() -> str:
    return "".join(secrets.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") for _ in range(58))


def passkey(server: Server, *, account: str | None = None, wallet: str | None = None) -> str:
    """Its id, which does not begin with a hyphen."""
    key = b"\0" + secrets.token_bytes(19)
    owner = f"(select id from account where username = '{account}')" if account else "null"
    server.sql(f"""
        insert into passkey (id, flow, account, wallet, name, cose_key, algorithm, sign_count, uv_initialized, backup_eligible, backed_up, model, transports, format,
                             attestation_type, trust, created_at)
        values ('\\x{key.hex()}', '{"idp" if account else "liquid"}', {owner}, {f"'{wallet}'" if wallet else "null"}, 'Key', '\\xa0', -7, 5, true, true, false,
                '\\x{bytes(16).hex()}', array['internal'], 'none', 'none', 'none', now())""")
    return text(key)


def wallet_of(server: Server, account: str | None = None) -> tuple[str, str]:
    """Its address and its one passkey, linked with the account."""
    name = address()
    server.sql(f"insert into liquid_wallet (address, handle, created_at) values ('{name}', '\\x{secrets.token_hex(32)}', now())")
    key = passkey(server, wallet=name)
    if account:
        raw = base64.urlsafe_b64decode(key + "=" * (-len(key) % 4))
        server.sql(f"insert into passkey_link (credential, account, linked_at) select '\\x{raw.hex()}', id, now() from account where username = '{account}'")
    return name, key


def ids(result: dict) -> list[str]:
    return [one["id"] for one in result["items"]]


def test_passkeys_are_found_and_removed(server):
    """By account and wallet; a dry run changes nothing; what is removed is gone, and in the audit trail with the reason."""
    name = person(server)
    own = passkey(server, account=name)
    wallet, linked = wallet_of(server, name)

    assert set(ids(server.admin("passkeys", "list", "--account", name))) == {own, linked}
    assert ids(server.admin("passkeys", "list", "--wallet", wallet)) == [linked]
    assert not {own, linked} & set(ids(server.admin("passkeys", "list", "--flagged")))
    page = server.admin("passkeys", "list", "--account", name, "--limit", "1")
    assert len(page["items"]) == 1 and len(server.admin("passkeys", "list", "--account", name, "--after", page["next"])["items"]) == 1
    shown = server.admin("passkeys", "show", own)
    assert (shown["flow"], shown["counter"], shown["backed_up"], shown["name"]) == ("idp", 5, False, "Key") and "cose_key" not in shown

    assert server.admin("passkeys", "remove", own, "--dry-run")["dry_run"] and server.admin("passkeys", "show", own)
    assert server.admin("passkeys", "remove", own, "--yes", "--reason", "stolen")["removed"]
    assert server.admin("passkeys", "remove", linked, "--yes")["sessions_ended"] == 0
    assert ids(server.admin("passkeys", "list", "--account", name)) == []
    assert "stolen" in [line["reason"] for line in server.admin("audit", "list", "--node", f"passkey:{own}")["items"]]
    for verb in ("show", "remove"):
        with pytest.raises(CommandFailed) as missing:
            server.admin("passkeys", verb, own)
        assert missing.value.exit_code == 3


def test_wallets_are_found_and_cut(server):
    """By account; a wallet without sessions is revoked already; what is not there is not found."""
    name = person(server)
    wallet, key = wallet_of(server, name)
    other, _ = wallet_of(server)

    listed = server.admin("wallets", "list", "--account", name)["items"]
    assert [one["wallet"] for one in listed] == [wallet] and (listed[0]["passkeys"], listed[0]["sessions"]) == (1, 0)
    assert {wallet, other} <= {one["wallet"] for one in server.admin("wallets", "list", "--limit", "10000")["items"]}
    assert ids({"items": server.admin("wallets", "show", wallet)["credentials"]}) == [key]
    assert server.admin("wallets", "sessions", wallet)["items"] == []
    revoked = server.admin("wallets", "revoke", wallet, "--yes")
    assert revoked["already"] and revoked["ended"] == [] and revoked["wallet"] == wallet
    for arguments in (("show", "AAAA"), ("sessions", "AAAA"), ("revoke", "AAAA"), ("revoke", wallet, "--session", "nothing")):
        with pytest.raises(CommandFailed) as missing:
            server.admin("wallets", *arguments)
        assert missing.value.exit_code == 3
