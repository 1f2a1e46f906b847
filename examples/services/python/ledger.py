"""What a service writes down, in SQLite: what was used, what it issued and from what that hangs, and what has ended.

A token lives while it has not expired and none of its ancestors has ended; that is looked up whenever it is shown, so an
end is one row, whatever hangs below. Races are settled by primary keys.
"""
from __future__ import annotations

import json
import os
import secrets
import sqlite3
import time
from contextlib import closing, contextmanager

from federation import sequence, sha256

ACCESS_LIVES_S, REFRESH_LIVES_S = 3_600, 30 * 86_400
SCHEMA = """
create table if not exists once (id text primary key, expires integer not null);
create table if not exists ended (node text primary key, at integer not null);
create table if not exists moved (node text not null, source text not null, target text not null, primary key (node, source, target));
create table if not exists family (                 -- an access token and its refresh token, and those that took their place
    id text primary key, person text not null, instance text not null, instance_key text not null, app text, scope text not null,
    jkt text, claims text not null, slot text);
create table if not exists ancestor (family text not null references family, node text not null, primary key (node, family));
create index if not exists ancestor_of on ancestor (family);
create table if not exists slot (name text primary key, family text not null);       -- the newest of an app and its scopes
create table if not exists token (hash text primary key, family text not null references family, kind text not null, expires integer not null, used integer);
create table if not exists event (jti text primary key, at integer not null);
create table if not exists fact (name text primary key, value not null);
create table if not exists note (person text not null, text text not null, at integer not null);
"""
LIVING = """
select family.*, token.kind, token.used from token join family on family.id = token.family
where token.hash = ? and token.expires > ?
  and not exists (select 1 from ancestor join ended using (node) where ancestor.family = family.id)
  and not exists (select 1 from slot where slot.name = family.slot and slot.family <> family.id)
"""


def takes(policy: dict, app: str) -> bool:
    return app not in policy["deny"] and (policy["default"] == "open" or app in policy["allow"])


class Ledger:
    def __init__(self, path: str):
        self.path = path
        # What it says of people is for nobody else on this machine; what SQLite makes beside it has the same mode.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        with closing(self._connected()) as db:
            db.executescript("pragma journal_mode = wal;" + SCHEMA)

    def _connected(self) -> sqlite3.Connection:
        db = sqlite3.connect(self.path, timeout=10, isolation_level=None)
        db.row_factory = sqlite3.Row
        return db

    @contextmanager
    def write(self):
        """One transaction, of all processes one at a time (`immediate`). What is not committed is undone."""
        with closing(self._connected()) as db:
            db.execute("begin immediate")
            yield db
            db.execute("commit")

    def all(self, query: str, *values) -> list:
        with closing(self._connected()) as db:
            return db.execute(query, values).fetchall()

    def one(self, query: str, *values):
        return next(iter(self.all(query, *values)), None)

    # Facts

    def fact(self, name: str, default):
        row = self.one("select value from fact where name = ?", name)
        return row["value"] if row else default

    def note_fact(self, name: str, value) -> None:
        with self.write() as db:
            db.execute("replace into fact (name, value) values (?, ?)", (name, value))

    def claim(self, text: str, seconds: int) -> bool:
        """True the first time; it is forgotten after so many seconds."""
        with self.write() as db:
            db.execute("delete from once where expires < ?", (int(time.time()),))
            return db.execute("insert or ignore into once (id, expires) values (?, ?)", (sha256(text), int(time.time()) + seconds)).rowcount == 1

    def has_ended(self, nodes: list[str]) -> bool:
        marks = ", ".join("?" * len(nodes))
        return self.one(f"select 1 from ended where node in ({marks})", *nodes) is not None

    def end(self, node: str) -> None:
        with self.write() as db:
            self._end(db, node)

    @staticmethod
    def _end(db, node: str) -> None:
        db.execute("insert or ignore into ended (node, at) values (?, ?)", (node, int(time.time())))

    # Tokens

    def redeem(self, claims: dict, key, ancestors: list[str], scope: str) -> dict | None:
        """Tokens for an assertion, once. The second time all that came of it ends, and there are none."""
        released = {name: claims[name] for name in ("name", "email") if isinstance(claims.get(name), str)}
        with self.write() as db:
            self._forget(db)
            used = (sha256("assertion " + claims["jti"]), int(claims["exp"]) + 120)
            if db.execute("insert or ignore into once (id, expires) values (?, ?)", used).rowcount == 0:
                self._end(db, ancestors[-2])
                return None
            # The app may have been updated since the assertion was made.
            for node, source, target in db.execute("select node, source, target from moved order by rowid").fetchall():
                if node in ancestors and source in ancestors:
                    ancestors = [target if name == source else name for name in ancestors]
            family = {"person": claims["sub"], "instance": claims["client_id"], "instance_key": json.dumps(key.as_dict(private=False)), "app": None,
                      "scope": scope, "jkt": key.thumbprint(), "claims": json.dumps(released), "slot": None}
            return self._issue(db, family, ancestors)

    def authorize(self, parent, app: str, scope: str, key) -> dict:
        """Tokens for another app, with the ancestors of the service token; they take the place of those it had for the same scopes."""
        with self.write() as db:
            ancestors = [row["node"] for row in db.execute("select node from ancestor where family = ?", (parent["id"],))]
            slot = sha256(json.dumps([parent["instance"], parent["person"], app, scope]))
            family = {**{name: parent[name] for name in ("person", "instance", "instance_key", "claims")}, "app": app, "scope": scope,
                      "jkt": key and key.thumbprint(), "slot": slot}
            return self._issue(db, family, ancestors)

    def _issue(self, db, family: dict, ancestors: list[str]) -> dict:
        family = {"id": "family:" + secrets.token_hex(16), **family}
        db.execute(f"insert into family ({', '.join(family)}) values ({', '.join('?' * len(family))})", tuple(family.values()))
        # Itself among them: a refresh token that was used twice ends it, and all that was handed on from it.
        db.executemany("insert into ancestor (family, node) values (?, ?)", [(family["id"], node) for node in {*ancestors, family["id"]}])
        if family["slot"]:
            db.execute("replace into slot (name, family) values (?, ?)", (family["slot"], family["id"]))
        return self._tokens(db, family)

    def _tokens(self, db, family) -> dict:
        access, refresh, now = secrets.token_urlsafe(32), secrets.token_urlsafe(32), int(time.time())
        for text, kind, lives in (access, "access", ACCESS_LIVES_S), (refresh, "refresh", REFRESH_LIVES_S):
            db.execute("insert into token (hash, family, kind, expires) values (?, ?, ?, ?)", (sha256(text), family["id"], kind, now + lives))
        return {"access_token": access, "token_type": "DPoP" if family["jkt"] else "Bearer", "expires_in": ACCESS_LIVES_S, "refresh_token": refresh,
                "scope": family["scope"]}

    def living(self, token: str):
        """The family of a token that lives, with `kind` and `used`."""
        row = self.one(LIVING, sha256(token), int(time.time()))
        if row and row["app"] and not takes(self.policy, row["app"]):
            return None
        return row

    def refresh(self, token: str, family) -> dict | None:
        """A new pair; the second time all of it ends."""
        with self.write() as db:
            if db.execute("update token set used = ? where hash = ? and used is null", (int(time.time()), sha256(token))).rowcount == 0:
                self._end(db, family["id"])
                return None
            return self._tokens(db, family)

    @staticmethod
    def _forget(db) -> None:
        """What concerns no living token any more. Who stole a signing key dates assertions as he likes, so its end stays."""
        now = int(time.time())
        db.execute("delete from token where expires < ?", (now,))
        db.execute("delete from ancestor where not exists (select 1 from token where token.family = ancestor.family)")
        db.execute("delete from family where not exists (select 1 from token where token.family = family.id)")
        db.execute("delete from ended where at < ? and node not like 'signer:%'", (now - 2 * REFRESH_LIVES_S,))

    # Events

    @property
    def policy(self) -> dict:
        """Which apps the service takes, as the federation keeps it for us."""
        return json.loads(self.fact("policy", '{"default": "open", "allow": [], "deny": []}'))

    def take(self, claims: dict) -> None:
        """Writes down what an event says, once; durable when this returns."""
        with self.write() as db:
            if db.execute("insert or ignore into event (jti, at) values (?, ?)", (claims["jti"], int(time.time()))).rowcount == 0:
                return
            for name, body in claims["events"].items():
                if name == "urn:pando:event:ended":
                    self._end(db, str(body["node"]))
                elif name == "urn:pando:event:moved":
                    node, source, target = (str(body[member]) for member in ("node", "from", "to"))
                    db.execute("insert or ignore into moved (node, source, target) values (?, ?, ?)", (node, source, target))
                    db.execute("update or ignore ancestor set node = ? where node = ? and family in (select family from ancestor where node = ?)",
                               (target, source, node))
                elif name == "urn:pando:event:policy":
                    policy = {member: body[member] for member in ("default", "allow", "deny")}
                    db.execute("replace into fact (name, value) values ('policy', ?)", (json.dumps(policy),))
                    # Ended now, so that they stay so when the app is taken again.
                    for row in db.execute("select id, app from family where app is not null").fetchall():
                        if not takes(policy, row["app"]):
                            self._end(db, row["id"])
            self._reach(db, sequence(claims))

    @staticmethod
    def _reach(db, number: int) -> None:
        db.execute("insert into fact (name, value) values ('position', ?) on conflict (name) do update set value = max(value, excluded.value)", (number,))

    def reach(self, number: int) -> None:
        """All events up to this number were taken."""
        with self.write() as db:
            self._reach(db, number)
