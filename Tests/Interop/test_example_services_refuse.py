"""What the services of `examples/services` refuse, and what an issuer that has been robbed could try: told by an issuer whose keys the test has."""
from __future__ import annotations

import pytest
import requests

from example_kinds import EACH
from example_services import ExampleService
from fake_issuer import ENDED, HEARTBEAT, MOVED, FakeIssuer
from hostile import CODES, FORMS, PROOFS, WRONG, forgeries
from keys import Proof, new_id, new_key, now, public, sha256, signed, signed_as_it_is
from waiting import eventually

BUNDLE, PHONE = "org.example.photos", "phone-1"


@pytest.fixture(scope="module", params=EACH)
def service(request, alone) -> ExampleService:
    return alone(request.param)


def code(service, key, **claims) -> str:
    given = {"iss": PHONE, "sub": BUNDLE, "aud": f"{service.base}/token", "iat": now(), "exp": now() + 60, "jti": new_id()} | claims
    return signed(key, {name: value for name, value in given.items() if value is not ...}, typ="JWT")


def opened(issuer, service, key, **claims) -> dict:
    answer = service.redeem(issuer.assertion(service.base, key, **claims))
    assert answer.status_code == 200, answer.text
    return answer.json()


def authorize(service, holder, key, text=None, auth=None, **form) -> requests.Response:
    given = {"grant_type": "authorization_code", "client_id": BUNDLE, "scope": service.scope, "code": text or code(service, key)} | form
    return service.post("token", auth=auth or Proof(key, holder["access_token"]), data=given)


def refused(answer, status: int, error: str) -> bool:
    """RFC 6749, 5.2 and RFC 6750, 3: as JSON, kept by nobody, with a challenge where it is 401."""
    assert (answer.status_code, answer.json().get("error")) == (status, error), answer.text
    assert "no-store" in answer.headers["Cache-Control"]
    assert status != 401 or answer.headers["WWW-Authenticate"].startswith("DPoP ")
    return True


# Started anew; first, since that reads the keys of the issuer, which is done again after ten seconds


def test_it_fails_closed(issuer, service):
    """Who hears nothing knows nothing: 503, until it hears again."""
    app = app_of(issuer, service)
    issuer.is_away = True
    try:
        service.restart(ASK_AFTER="0", FAIL_CLOSED="1")
        assert service.has(app, status=503)
        assert int(service.call(app).headers["Retry-After"]) > 0
    finally:
        issuer.is_away = False
    assert service.has(app, status=200)
    service.restart(ASK_AFTER="90", FAIL_CLOSED="300")
    assert service.call(app).status_code == 200


def test_another_issuer_begins_anew(issuer, service):
    """As when a service moves from a trial to the real federation: nothing that the old one said counts for the new one, its keys least."""
    if "ISSUER" not in service.environment():
        pytest.skip("its issuer is typed into a page")
    assert opened(issuer, service, new_key())
    other = FakeIssuer()
    try:
        service.restart(ISSUER=other.url)
        assert refused(service.redeem(issuer.assertion(service.base, new_key(), iss=other.url)), 400, "invalid_grant")
        assert opened(other, service, new_key())
    finally:
        other.close()
        service.restart(ISSUER=issuer.url)
    assert opened(issuer, service, new_key())


def test_nobody_else_on_the_machine_reads_it(service):
    if service.kind in ("wordpress", "moodle"):
        pytest.skip("its tables are those of the site")
    modes = {path.name: path.stat().st_mode & 0o077 for path in service.folder.glob("state.sqlite*")}

    assert modes and set(modes.values()) == {0}, modes


# Assertions


@pytest.mark.parametrize("wrong", list(WRONG))
def test_an_assertion_is_refused_that_is(issuer, service, wrong):
    claims = WRONG[wrong](service.base) if callable(WRONG[wrong]) else WRONG[wrong]

    assert refused(service.redeem(issuer.assertion(service.base, new_key(), **claims)), 400, "invalid_grant")


@pytest.mark.parametrize("typ", ["JWT", "at+jwt", "secevent+jwt", "dpop+jwt", None])
def test_an_assertion_is_nothing_else(issuer, service, typ):
    assert refused(service.redeem(issuer.assertion(service.base, new_key(), header={"typ": typ})), 400, "invalid_grant")


def test_forged_assertions_are_refused(issuer, service):
    for text in forgeries(issuer, service.base):
        assert refused(service.redeem(text), 400, "invalid_grant"), text


def test_a_proof_beside_an_assertion_must_be_by_its_key(issuer, service):
    key = new_key()
    text = issuer.assertion(service.base, key)

    assert refused(service.redeem(text, auth=Proof(new_key())), 400, "invalid_dpop_proof")
    assert service.redeem(text, auth=Proof(key)).status_code == 200, "it was not used up"


# Proofs


class Given(requests.auth.AuthBase):
    """The headers as they are given."""

    def __init__(self, authorization, proof):
        self.headers = {"Authorization": authorization, "DPoP": proof}

    def __call__(self, request):
        request.headers.update({name: value for name, value in self.headers.items() if value is not None})
        return request


def proof(service, key, token, header=None, **claims) -> str:
    given = {"htm": "GET", "htu": service.api, "iat": now(), "jti": new_id(), "ath": sha256(token)} | claims
    claims = {name: value for name, value in given.items() if value is not ...}
    return signed_as_it_is(key, {"alg": "ES256", "typ": "dpop+jwt", "jwk": public(key)} | (header or {}), claims)


@pytest.fixture(scope="module")
def app(issuer, service):
    """A living token and its key."""
    key, own = new_key(), new_key()
    answer = authorize(service, opened(issuer, service, key), key, code(service, key, cnf={"jwk": public(own)}))
    assert answer.status_code == 200, answer.text
    return answer.json()["access_token"], own


def test_a_good_proof_counts_once(service, app):
    token, key = app
    text = proof(service, key, token)

    first, second = (requests.get(service.api, auth=Given(f"DPoP {token}", text), timeout=30) for _ in range(2))

    assert first.status_code == 200, first.text
    assert second.status_code == 401


@pytest.mark.parametrize("wrong", list(PROOFS))
def test_a_proof_is_refused_that_is(service, app, wrong):
    token, key = app

    assert requests.get(service.api, auth=Given(f"DPoP {token}", proof(service, key, token, **PROOFS[wrong])), timeout=30).status_code == 401


def test_a_bound_token_is_not_shown_otherwise(service, app):
    token, key = app
    other = new_key()
    texts = [None, "", "x", proof(service, other, token), proof(service, key, token, {"jwk": public(other)}), proof(service, key, token, {"typ": "JWT"}),
             proof(service, key, token, {"jwk": key.as_dict(private=True)}), proof(service, key, token, {"jwk": "key"})]

    for text in texts:
        assert requests.get(service.api, auth=Given(f"DPoP {token}", text), timeout=30).status_code == 401, text
    for header in (f"Bearer {token}", f"Basic {token}", "DPoP", "DPoP unknown", f"DPoP {token[:-1]}"):
        assert requests.get(service.api, auth=Given(header, proof(service, key, token)), timeout=30).status_code == 401, header


def test_a_proof_is_used_up_by_what_is_good_alone(issuer, service):
    """Anybody makes proofs by keys of his own: none is written down for who shows nothing that lives."""
    key = new_key()
    text = proof(service, key, "", htm="POST", htu=f"{service.base}/token", ath=...)

    for form in ({"grant_type": "refresh_token", "refresh_token": "unknown"}, {"grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": "a.b.c"}):
        assert refused(service.post("token", auth=Given(None, text), data=form), 400, "invalid_grant")
    assert service.redeem(issuer.assertion(service.base, key), auth=Given(None, text)).status_code == 200
    assert refused(service.redeem(issuer.assertion(service.base, key), auth=Given(None, text)), 400, "invalid_dpop_proof")


# Codes for apps


def test_a_service_token_is_for_one_thing(issuer, service):
    """It hands out; it does not reach the protocol. An app's token does not hand out."""
    key = new_key()
    holder = opened(issuer, service, key)
    app = authorize(service, holder, key).json()

    assert service.call(holder, key).status_code in (401, 403)
    assert refused(authorize(service, app, key, auth=Given(f"Bearer {app['access_token']}", None)), 401, "invalid_token")
    assert refused(authorize(service, holder, key, auth=Given(None, None)), 401, "invalid_token")
    assert refused(authorize(service, holder, new_key(), code(service, key)), 401, "invalid_dpop_proof")


@pytest.mark.parametrize("scope", ["", "org.example.unknown", "org.ietf.oauth2", "{scope} org.example.unknown", "{base}/token", "*"])
def test_scopes_are_its_protocols(issuer, service, scope):
    key = new_key()
    asked = scope.format(scope=service.scope, base=service.base)

    assert refused(authorize(service, opened(issuer, service, key), key, scope=asked), 400, "invalid_scope")


@pytest.mark.parametrize("wrong", list(CODES))
def test_a_code_is_refused_that_is(issuer, service, wrong):
    key = new_key()

    assert refused(authorize(service, opened(issuer, service, key), key, code(service, key, **CODES[wrong])), 400, "invalid_grant")


@pytest.mark.parametrize("app", ["org example", "é", "x" * 256, "a\tb"], ids=["a blank", "no ASCII", "too long", "a tab"])
def test_an_app_has_a_bundle_id(issuer, service, app):
    key = new_key()
    answer = authorize(service, opened(issuer, service, key), key, code(service, key, sub=app), client_id=app)

    assert refused(answer, 400, "invalid_grant")


def test_a_code_is_by_the_phone_and_counts_once(issuer, service):
    key = new_key()
    holder, text = opened(issuer, service, key), code(service, key)

    assert refused(authorize(service, holder, key, code(service, new_key())), 400, "invalid_grant")
    assert authorize(service, holder, key, text).status_code == 200
    assert refused(authorize(service, holder, key, text), 400, "invalid_grant")
    assert refused(authorize(service, holder, key, "x.y.z"), 400, "invalid_grant")


# Events


def app_of(issuer, service, **claims) -> dict:
    """A bearer token for another person each time: a second one of the same would take the place of the first."""
    key = new_key()
    app = authorize(service, opened(issuer, service, key, **({"sub": new_id()} | claims)), key).json()
    assert service.call(app).status_code == 200
    return app


def test_forged_events_end_nothing(issuer, service):
    app = app_of(issuer, service, lineage=["lives", "leaf-1"])
    body = {"node": "lives"}
    texts = [issuer.event(service.base, ENDED, body, key=new_key()), issuer.event("https://other.example.org", ENDED, body),
             issuer.event(service.base, ENDED, body, iss="https://id.example.org"), issuer.event(service.base, ENDED, body, typ="JWT"),
             issuer.event(service.base, ENDED, body, typ="oauth-id-jag+jwt"), issuer.event(service.base, ENDED, {}), issuer.event(service.base, ENDED, body, jti=7),
             issuer.event(service.base, ENDED, body, events=[]), issuer.event(service.base, ENDED, body, events={ENDED: "lives"}), "", "x", "{}", "\0"]

    for text in texts:
        answer = service.push(text)
        assert answer.status_code == 400 and set(answer.json()) == {"err", "description"}, (text, answer.text)
    unnamed = service.post("events", data=issuer.event(service.base, ENDED, body), headers={"Content-Type": "application/jwt"})
    assert unnamed.status_code == 400
    assert service.call(app).status_code == 200


def test_events_count_once_and_in_any_order(issuer, service):
    """One that came before is harmless; one that nobody knows is taken; what ended stays so."""
    app = app_of(issuer, service, lineage=["root-2", "leaf-2"])
    event = issuer.event(service.base, ENDED, {"node": "root-2"}, seq=len(issuer.stored) + 1)

    assert [service.push(event).status_code for _ in range(2)] == [202, 202]
    assert service.push(issuer.event(service.base, "urn:example:unknown", {"x": 1})).status_code == 202
    assert service.push(issuer.event(service.base, HEARTBEAT, {"seq": len(issuer.stored)})).status_code == 202
    assert service.call(app).status_code == 401
    again = service.redeem(issuer.assertion(service.base, new_key(), lineage=["root-2", "leaf-3"]))
    assert refused(again, 400, "invalid_grant")


def test_what_a_heartbeat_shows_to_be_missing_is_asked_for(issuer, service):
    """Three events in pages of two, none of which was pushed."""
    apps = [app_of(issuer, service, lineage=[f"missed-{number}", f"leaf-m{number}"]) for number in range(3)]
    for number in range(3):
        issuer.event(service.base, ENDED, {"node": f"missed-{number}"}, seq=len(issuer.stored) + 1)

    assert service.push(issuer.event(service.base, HEARTBEAT, {"seq": len(issuer.stored)})).status_code == 202

    assert [service.call(app).status_code for app in apps] == [401] * 3


def test_an_event_is_not_taken_while_those_before_it_are_missing(issuer, service):
    """503, so that it is sent again."""
    apps = [app_of(issuer, service, lineage=[f"gap-{number}", f"leaf-g{number}"]) for number in range(2)]
    issuer.event(service.base, ENDED, {"node": "gap-0"}, seq=len(issuer.stored) + 1)
    second = issuer.event(service.base, ENDED, {"node": "gap-1"}, seq=len(issuer.stored) + 1)
    issuer.is_away = True
    try:
        assert service.push(second).status_code == 503
    finally:
        issuer.is_away = False

    assert service.push(second).status_code == 202 and [service.call(app).status_code for app in apps] == [401] * 2


def test_an_app_that_was_updated_hangs_from_its_new_version(issuer, service):
    """What ends the new version ends its tokens; what ends the old one does not, for an assertion from before the update either."""
    before = {"lineage": ["v1", "phone-m", "leaf-u1"]}
    app, late = app_of(issuer, service, **before), {"lineage": ["v1", "phone-m", "leaf-u2"]}

    def tell(name, **body):
        assert service.push(issuer.event(service.base, name, body, seq=len(issuer.stored) + 1)).status_code == 202

    tell(MOVED, node="phone-m", **{"from": "v1", "to": "v2"})
    another = app_of(issuer, service, **late)
    tell(ENDED, node="v1")
    assert [service.call(token).status_code for token in (app, another)] == [200, 200]
    tell(ENDED, node="v2")
    assert [service.call(token).status_code for token in (app, another)] == [401, 401]


# What is no request


@pytest.mark.parametrize("endpoint", ["token", "revoke", "introspect"])
@pytest.mark.parametrize("form", FORMS, ids=range(len(FORMS)))
def test_what_makes_no_sense_is_the_clients_fault(service, endpoint, form):
    answer = service.post(endpoint, data=form, headers={"Content-Type": "application/x-www-form-urlencoded"})

    assert 400 <= answer.status_code < 500 and len(answer.text) < 10_000, answer.text


def test_nothing_stands_there_twice(issuer, service):
    text = issuer.assertion(service.base, new_key())
    grant = "urn:ietf:params:oauth:grant-type:jwt-bearer"

    for form in (f"grant_type={grant}&assertion={text}&assertion={text}", f"grant_type={grant}&grant_type={grant}&assertion={text}"):
        answer = service.post("token", data=form, headers={"Content-Type": "application/x-www-form-urlencoded"})
        assert refused(answer, 400, "invalid_request")


# Last, since new keys are looked for every ten seconds, which have passed meanwhile.


def test_keys_of_the_issuer_may_change_and_be_stolen(issuer, service):
    """One that is not known is looked for, and that of earlier signatures goes on. One that was stolen says nothing any more."""
    kid, key, answers = new_id(), new_key(), []
    issuer.keys[kid] = new_key()

    def redeemed() -> bool:
        answers.append(service.redeem(issuer.assertion(service.base, key, kid=kid)))
        return answers[-1].status_code == 200

    assert eventually(redeemed, within_s=30)
    app = authorize(service, answers[-1].json(), key).json()
    assert service.call(app).status_code == 200
    assert service.redeem(issuer.assertion(service.base, new_key())).status_code == 200

    assert service.push(issuer.event(service.base, ENDED, {"node": f"signer:{kid}"}, seq=len(issuer.stored) + 1)).status_code == 202

    assert service.call(app).status_code == 401
    assert refused(service.redeem(issuer.assertion(service.base, new_key(), kid=kid)), 400, "invalid_grant")
    assert service.push(issuer.event(service.base, ENDED, {"node": "x"}, kid=kid)).status_code == 400


def test_keys_are_not_asked_for_at_every_turn(issuer, service):
    """Whoever names keys that nobody has makes the service ask its issuer once in ten seconds, however often he does."""
    issuer.asked.clear()

    for _ in range(20):
        assert refused(service.redeem(issuer.assertion(service.base, new_key(), key=new_key(), kid=new_id())), 400, "invalid_grant")

    assert issuer.asked.count("/jwks.json") <= 2
