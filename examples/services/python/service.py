"""A service of a Pando federation: notes of a person, for apps on that person's phone. README.md says how it is started."""
from __future__ import annotations

import json
import os
import time
from xml.sax.saxutils import escape, quoteattr

from flask import Flask, Response, jsonify, request

from federation import Federation, Refused, away, sequence
from joserfc.jwk import ECKey
from ledger import Ledger, takes

ISSUER, BASE = os.environ["ISSUER"], os.environ["BASE"]
SCOPE = "org.example.notes"
# Seconds without an event or a heartbeat, after which the federation is asked; and without an answer, after which no token is taken.
ASK_AFTER, FAIL_CLOSED = int(os.environ.get("ASK_AFTER", "90")), int(os.environ.get("FAIL_CLOSED", "300"))
HEARTBEAT = "urn:pando:event:heartbeat"

ledger = Ledger(os.environ.get("STATE", "notes.sqlite"))
federation = Federation(ISSUER, BASE, (os.environ["CLIENT_ID"], os.environ["CLIENT_SECRET"]), ledger.claim, ledger.has_ended)
app = Flask(__name__)
app.config["MAX_CONTENT_LENGTH"] = 64 * 1024


# What apps find

DOCUMENT = {
    "engineName": "Notes", "engineLink": BASE, "homePageLink": BASE,
    "apis": {"org.ietf.oauth2": {"apiLink": BASE, "apiVersion": "2.0", "transport": ["REST"]},
             SCOPE: {"apiLink": f"{BASE}/notes", "apiVersion": "1.0", "transport": ["REST"]}}}


@app.get("/")
def home():
    return Response(f'<!doctype html><title>Notes</title><link rel="ServiceAPI" href="{BASE}/rsd"><p>Notes, for apps.', mimetype="text/html",
                    headers={"Link": f'<{BASE}/rsd>; rel="ServiceAPI"; type="application/x-rsd+json"'})


@app.get("/rsd")
def document():
    headers = {"Cache-Control": "public, max-age=300", "Vary": "Accept", "Access-Control-Allow-Origin": "*"}
    if request.accept_mimetypes.best_match(["application/x-rsd+json", "application/json", "application/x-rsd+xml", "application/xml"]) not in (
            "application/x-rsd+xml", "application/xml"):
        return Response(json.dumps(DOCUMENT), mimetype="application/x-rsd+json", headers=headers)
    apis = "".join(f"<api name={quoteattr(name)}><apiVersion>{api['apiVersion']}</apiVersion><apiLink>{escape(api['apiLink'])}</apiLink>"
                   f"<transport>REST</transport></api>" for name, api in DOCUMENT["apis"].items())
    xml = ('<?xml version="1.0" encoding="UTF-8"?><rsd version="2.0" xmlns="http://github.com/rsd-spec/rsd"><service>'
           f"<engineName>Notes</engineName><engineLink>{escape(BASE)}</engineLink><homePageLink>{escape(BASE)}</homePageLink><apis>{apis}</apis>"
           "</service></rsd>")
    return Response(xml, mimetype="application/x-rsd+xml", headers=headers)


# What apps get

@app.post("/token")
def token():
    form = members()
    grants = {"urn:ietf:params:oauth:grant-type:jwt-bearer": redeem, "authorization_code": authorize, "refresh_token": refresh}
    if form.get("grant_type") not in grants:
        raise Refused(400, "unsupported_grant_type", f"grant_type is one of {', '.join(grants)}")
    return jsonify(grants[form["grant_type"]](form)), 200, {"Cache-Control": "no-store"}


def redeem(form: dict) -> dict:
    """An assertion of the federation becomes a token that is good for asking here for tokens of apps."""
    claims, key, ancestors = federation.assertion(wanted(form, "assertion"))
    proven = proof(f"{BASE}/token", status=400)
    if proven not in (None, key.thumbprint()):
        raise Refused(400, "invalid_dpop_proof", "the proof is not by the key of the assertion")
    if ledger.has_ended(ancestors):
        raise Refused(400, "invalid_grant", "the assertion was refused: it was revoked")
    tokens = ledger.redeem(claims, key, ancestors, scope=f"{BASE}/token")
    if tokens is None:
        raise Refused(400, "invalid_grant", "the assertion was refused: it was used before, and all that came of it has ended")
    return tokens


def authorize(form: dict) -> dict:
    """The phone's app hands a token to another app on the same phone."""
    holder = shown(f"{BASE}/token")
    name, scope, code = wanted(form, "client_id"), form.get("scope", "").split(), wanted(form, "code")
    if holder["app"] is not None:
        raise Refused(401, "invalid_token", "only the token of an assertion hands out tokens for apps")
    if set(scope) != {SCOPE}:
        raise Refused(400, "invalid_scope", f"scope is {SCOPE}")
    if not (name.isascii() and name.isprintable() and " " not in name and len(name) < 256):
        raise Refused(400, "invalid_grant", "client_id is no bundle id")
    key = federation.app_code(code, holder["instance"], ECKey.import_key(json.loads(holder["instance_key"])), name)
    if not takes(ledger.policy, name):
        raise Refused(400, "access_denied", "this service does not take this app")
    return ledger.authorize(holder, name, SCOPE, key)


def refresh(form: dict) -> dict:
    token = wanted(form, "refresh_token")
    family = ledger.living(token)
    # A wrong key neither uses it nor ends anything.
    if not family or family["kind"] != "refresh" or proof(f"{BASE}/token", status=400) != family["jkt"]:
        raise Refused(400, "invalid_grant", "the refresh token is dead, or another's")
    tokens = ledger.refresh(token, family)
    if tokens is None:
        raise Refused(400, "invalid_grant", "the refresh token was used before, and all that came of it has ended")
    return tokens


@app.post("/revoke")
def revoke():
    """RFC 7009, by who holds the token, and its key where it has one. It ends with its family and what was handed on from it."""
    family = ledger.living(wanted(members(), "token"))
    if family and proof(f"{BASE}/revoke", status=400) in ({family["jkt"]} if family["jkt"] else {None}):
        ledger.end(family["id"])
    return "", 200, {"Cache-Control": "no-store"}


@app.post("/introspect")
def introspect():
    """RFC 7662, for who shows a living token: it is told of its own and of those for the same person and phone."""
    holder, family = shown(f"{BASE}/introspect"), ledger.living(wanted(members(), "token"))
    if not family or (family["person"], family["instance"]) != (holder["person"], holder["instance"]) or family["used"]:
        return jsonify(active=False), 200, {"Cache-Control": "no-store"}
    told = {"active": True, "iss": BASE, "sub": family["person"], "client_id": family["app"] or family["instance"], "scope": family["scope"],
            "token_type": "DPoP" if family["jkt"] else "Bearer"}
    return jsonify(told | ({"cnf": {"jkt": family["jkt"]}} if family["jkt"] else {})), 200, {"Cache-Control": "no-store"}


# What it is all for

@app.route("/notes", methods=["GET", "POST"])
def notes():
    holder = shown(f"{BASE}/notes")
    if SCOPE not in holder["scope"].split():
        raise Refused(403, "insufficient_scope", f"the token is not for {SCOPE}")
    if request.method == "POST":
        with ledger.write() as db:
            db.execute("insert into note (person, text, at) values (?, ?, ?)", (holder["person"], wanted(members(), "text"), int(time.time())))
    found = ledger.all("select text from note where person = ? order by rowid", holder["person"])
    return jsonify(person=holder["person"], name=json.loads(holder["claims"]).get("name"), notes=[row["text"] for row in found])


# What the federation tells

@app.post("/events")
def events():
    """RFC 8935. What came before it is taken first; what cannot be taken now is sent again."""
    try:
        if request.mimetype != "application/secevent+jwt":
            raise Refused(400, "invalid_request", "send application/secevent+jwt")
        claims = federation.event(request.get_data(as_text=True).strip())
        heartbeat = claims["events"].get(HEARTBEAT)
        number = sequence(claims)
        position = ledger.fact("position", 0)
        if int(heartbeat["seq"]) > position if heartbeat else number > position + 1:
            catch_up()
        if heartbeat is None:
            ledger.take(claims)     # once, even if it was among them
        if heartbeat or number:
            ledger.note_fact("heard", max(ledger.fact("heard", 0), min(claims["iat"], time.time())))
        return "", 202
    except (KeyError, TypeError, ValueError) as wrong:
        return jsonify(err="invalid_request", description=f"a member is missing or wrong: {wrong}"), 400
    except Refused as refused:
        return jsonify(err=refused.error, description=refused.why), refused.status


def catch_up() -> None:
    """Takes all that the federation has told so far, and notes as of when."""
    asked, more, position = time.time(), True, ledger.fact("position", 0)
    while more:
        page = federation.missed(position)
        if page["latest"] < position:       # the federation was put back to a backup: from the beginning
            position = 0
            ledger.note_fact("position", 0)
            continue
        for claims in page["events"]:
            ledger.take(claims)
        more = page["more"] and bool(page["events"])
        position = sequence(page["events"][-1]) if more else page["latest"]
        ledger.reach(position)
    ledger.note_fact("heard", asked)


def hear() -> None:
    """No token is taken on the word of a federation that was not heard for long."""
    if time.time() - ledger.fact("heard", 0) > ASK_AFTER and ledger.claim(f"ask {int(time.time())}", 5):
        try:
            catch_up()
        except Refused:
            pass        # that it is away is no harm yet
    if time.time() - ledger.fact("heard", 0) > FAIL_CLOSED:
        raise away("what has ended is not known now")


# Requests

def members() -> dict:
    """Those of a form (RFC 6749, 3.2): none twice."""
    if any(len(request.form.getlist(name)) > 1 for name in request.form):
        raise Refused(400, "invalid_request", "a parameter stands there twice")
    return request.form.to_dict()


def wanted(form: dict, name: str) -> str:
    if not form.get(name):
        raise Refused(400, "invalid_request", f"{name} is missing")
    return form[name]


def proof(url: str, token: str | None = None, status: int = 401) -> str | None:
    """Thumbprint of the key behind the request's proof; none without a proof."""
    text = request.headers.get("DPoP")
    return None if text is None else federation.proof(text, request.method, url, token, status)


def shown(url: str):
    """The family of the access token that the request shows. One that is bound to a key comes with a proof by it."""
    scheme, _, text = request.headers.get("Authorization", "").partition(" ")
    if not text:        # nothing has to be known to say that
        raise Refused(401, "invalid_token", "no token came with the request")
    hear()
    family = ledger.living(text)
    if not family or family["kind"] != "access":
        raise Refused(401, "invalid_token", "the token is dead, or none of this service")
    if scheme.lower() != ("dpop" if family["jkt"] else "bearer"):
        raise Refused(401, "invalid_token", "a bound token comes as DPoP, another as Bearer")
    if family["jkt"] and proof(url, text) != family["jkt"]:
        raise Refused(401, "invalid_dpop_proof", "a proof by the key of the token must come with it")
    return family


@app.errorhandler(Refused)
def answer(refused: Refused):
    headers = {"Cache-Control": "no-store"}
    if refused.status == 401:
        headers["WWW-Authenticate"] = f'DPoP error="{refused.error}", algs="ES256"'
    if refused.retry_after:
        headers["Retry-After"] = str(refused.retry_after)
    return jsonify(error=refused.error, error_description=refused.why), refused.status, headers


# What ended while this was down, whoever starts it.
try:
    catch_up()
except Refused as refused:
    print(f"not heard yet: {refused.why}", flush=True)

if __name__ == "__main__":
    app.run("127.0.0.1", int(os.environ["PORT"]), threaded=True)
