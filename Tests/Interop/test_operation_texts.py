"""What a phone shows of an operation beside its attributes: `language`, `resultTexts` and `ui`, as the bank's back office writes them
and phones of both protocols read them (docs/design/backoffice.md, "Templates")."""
from __future__ import annotations

import json

import pytest
import requests

from approving_phones import NO_LANGUAGE, PhoneBank, approve, history, read, short
from bank import PAYMENT, TIMEOUT_S

MALFORMED, TOO_LARGE = (400, "ERROR_REQUEST"), (413, "ERROR_REQUEST")
ENGLISH = PAYMENT["texts"][0]
PARAMETERS = {"amount": "10.00", "currency": "CHF", "note": "books"}
AMOUNT = {"id": "amount", "type": "AMOUNT", "text": "", "params": {"amount": "amount", "currency": "currency"}}
TITLES = {"de": "Zahlung", "en": "Payment", "pt-BR": "Pagamento"}
RESULTS = {"success": "Paid ${amount} ${currency}", "failure": "Not paid", "reject": "${note}: ${missing}${amount"}
SHOWN_RESULTS = {"success": "Paid 10.00 CHF", "failure": "Not paid", "reject": "books: ${amount"}
# One of each kind that the SDKs know, and what an app of the bank reads itself.
SCREENS = {
    "blockApprovalOnCall": False, "flipButtons": True,
    "preApprovalScreen": {"type": "INFO", "heading": "For ${note}", "message": "${amount} ${currency}\nnow?", "approvalType": "SLIDER",
                          "items": ["${note}", "${missing}", "$"]},
    "preApprovalScreens": [
        {"id": "first", "type": "WARNING", "backButton": True, "heading": "${note}", "message": "m", "elements": [
            {"id": "one", "type": "LIST_ITEM", "text": "${amount}"},
            {"id": "two", "type": "BUTTON", "href": "https://bank.example/?for=${note}"}],
         "controls": {"flip": False, "axis": "VERTICAL", "approve": {"type": "BUTTON", "counter": 5}}}],
    "postApprovalScreen": {"type": "MERCHANT_REDIRECT", "heading": "Paid", "message": "${note}",
                           "payload": {"redirectText": "Back", "redirectUrl": "https://shop.example/${note}", "countdown": 5}},
    "templates": {"list": {"style": "POSITIVE", "image": "amount"},
                  "detail": {"showTitleAndMessage": True, "sections": [{"cells": [{"name": "amount"}]}]}},
    "own": {"${note}": [1, 2.5, -0.125, True, "", [], {}, {"deep": ["${amount}"]}]}}
WORDS = {"en": ("Scan the code", "Watch out"), "de": ("Code scannen", "Vorsicht"), "fr": ("Scannez le code", "Attention"),
         "it": ("Scansioni il codice", "Attenzione"), "sv": ("Scan the code", "Watch out")}


def screen(**members) -> dict:
    return {"type": "INFO", "heading": "h", "message": "m"} | members


def without(name: str, **members) -> dict:
    return {member: value for member, value in screen(**members).items() if member != name}


# What no phone could read of a text's `ui`.
ODD_SCREENS = [
    [], "x", 7, True, {"own": None}, {"own": [{"deep": [None]}]}, {"flipButtons": "yes"}, {"flipButtons": 1}, {"blockApprovalOnCall": []},
    *({"preApprovalScreen": odd} for odd in (
        "x", [], {}, [screen()], without("type"), without("heading"), without("message"), screen(heading=""), screen(message=7),
        screen(type=["INFO"]), screen(items="x"), screen(items=[7]), screen(items=[["x"]]), screen(items={"0": "x"}))),
    *({"preApprovalScreens": odd} for odd in ("x", {}, screen(), ["x"], [[]], [screen(), 7])),
    *({"postApprovalScreen": odd} for odd in ("x", [], screen(), screen(payload="x"), screen(payload=[]), without("heading", payload={})))]
ODD_RESULTS = ["x", 7, [], ["x"], {"other": "x"}, {"Success": "x"}, {"": "x"}, {"success": None}, {"success": 7}, {"success": ["x"]},
               {"success": {"text": "x"}}, {"success": "x", "failure": False}]
ODD_LANGUAGES = ["e", "engl", "en_US", "en-", "-en", "*", "de,en", "de;q=1", "en-a-b-c-d", "en-" + "x" * 9, "x" * 36, "dé", "en\n", " en",
                 "${note}", 7, ["en"], {"en": 1}, True]


@pytest.fixture(scope="module")
def bank(server) -> PhoneBank:
    return PhoneBank(server)


def template(bank: PhoneBank, name: str, *texts: dict, **members) -> str:
    """Of an English text with these members, and others."""
    written = PAYMENT | {"name": name, "texts": [ENGLISH | text for text in texts]} | members
    assert bank.ask("POST", "/templates", written).items() >= written.items()
    assert bank.ask("GET", f"/templates/{name}").items() >= written.items()
    return name


def spoken(bank: PhoneBank, name: str) -> str:
    return template(bank, name, *({"language": language, "title": title, "attributes": [AMOUNT]} for language, title in TITLES.items()))


def only(phone, headers: dict | None = None) -> dict:
    """The one operation that its user is asked about; every way to read it says the same, its members in one order."""
    [listed] = read(phone, "/list", headers)
    for path in ("/detail", "/detail/claim"):
        assert json.dumps(read(phone, path, headers, id=listed["id"])) == json.dumps(listed)
    return listed


def refuse_text(bank: PhoneBank, user: str, odd: dict, refusal: tuple[int, str] = MALFORMED) -> None:
    """In a new template and in place of another one, as the only text and behind a good one: what stands stays, and so does what waits."""
    name, good = template(bank, user, {"ui": SCREENS, "resultTexts": RESULTS}), {"language": "sv"}
    phone = bank.phone(user)
    bank.order(user, template=name)
    before, shown = bank.ask("GET", "/templates"), only(phone)
    for texts in ([ENGLISH | odd], [ENGLISH | good, ENGLISH | odd]):
        for method, path, called in (("POST", "/templates", f"{user}-odd"), ("PUT", f"/templates/{name}", name)):
            assert bank.refused(method, path, PAYMENT | {"name": called, "texts": texts}) == refusal
    assert bank.ask("GET", "/templates") == before and only(phone) == shown


# The language


@pytest.mark.parametrize("asked, own, language", [
    ("de", "pt-BR", "de"), ("DE-ch", None, "de"), ("pt", None, "pt-BR"), ("sv, de;q=0.5", "pt-BR", "de"), ("de;q=0.1, en", None, "en"),
    ("sv", "de", "en"), ("de;q=0, pt", None, "pt-BR"), (None, "de", "de"), (None, "De-CH", "de"), (None, "pt", "pt-BR"),
    (None, "pt-PT", "pt-BR"), (None, "sv", "en"), (None, "", "en"), (None, None, "en"), ("*", "de", "de"), ("x" * 5000, "de", "de"),
    ("de;q=2, ;;, =", "pt-BR", "pt-BR")], ids=short)
def test_an_operation_speaks_the_language_of_the_phone_then_its_own_then_english(bank, user, protocol, asked, own, language):
    name = spoken(bank, user)
    phone = bank.phone(user, protocol)
    order = bank.order(user, template=name, language=own)
    form = only(phone, {"Accept-Language": asked})["formData"]
    assert form["title"] == TITLES[language]
    assert "language" not in order and bank.read(order) == order


def test_amounts_are_written_as_in_the_operations_language(bank, user, protocol):
    """Where the phone names none."""
    name = spoken(bank, user)
    phone = bank.phone(user, protocol)
    bank.order(user, template=name, language="de-DE")
    [amount], [english] = (only(phone, headers)["formData"]["attributes"] for headers in (NO_LANGUAGE, {"Accept-Language": "en"}))
    assert (amount["amount"], amount["amountFormatted"], english["amountFormatted"]) == (10, "10,00", "10.00")


@pytest.mark.parametrize("own, language", [("de", "de"), ("pt-BR", "pt-BR"), ("sv", "en"), (None, "en")])
def test_an_offline_code_speaks_the_operations_language(bank, user, protocol, own, language):
    """Nobody's phone asks for it; what the phone signs is the same in any."""
    name = spoken(bank, user)
    phone = bank.phone(user, protocol)
    order = bank.order(user, template=name, language=own)
    place = f"/operations/{order['operationId']}/offline"
    code = bank.ask("GET", f"{place}/qr?registrationId={phone.id}")
    assert code["operationQrCodeData"].split("\n")[1] == TITLES[language]
    typed = {"otp": phone.answer(code["operationQrCodeData"]), "nonce": code["nonce"], "registrationId": phone.id}
    assert bank.ask("POST", f"{place}/otp", typed)["otpValid"] and bank.read(order)["status"] == "APPROVED"


@pytest.mark.parametrize("odd", ODD_LANGUAGES, ids=short)
def test_what_is_no_language_begins_nothing(bank, user, odd):
    order = {"template": "payment", "appId": bank.app, "userId": user, "parameters": PARAMETERS, "language": odd}
    assert bank.refused("POST", "/operations", order) == MALFORMED
    assert bank.begun(user) == []


@pytest.mark.parametrize("odd", [*ODD_LANGUAGES, "", None], ids=short)
def test_a_text_in_no_language_is_in_no_template(bank, user, odd):
    refuse_text(bank, user, {"language": odd})


def test_a_language_stands_once_and_up_to_64_do(bank, user):
    tags = [f"a{chr(97 + number // 26)}-{chr(97 + number % 26)}x" for number in range(65)]
    template(bank, user, *({"language": tag} for tag in tags[:64]))
    for languages in ([], ["en", "de", "EN"], tags):
        texts = [ENGLISH | {"language": language} for language in languages]
        assert bank.refused("PUT", f"/templates/{user}", PAYMENT | {"name": user, "texts": texts}) == MALFORMED
    assert [text["language"] for text in bank.ask("GET", f"/templates/{user}")["texts"]] == tags[:64]


# What it says when it is over


def test_result_texts_reach_the_phone_with_their_parameters(bank, user, protocol):
    """In their order, while it waits and in the history; of a missing parameter nothing, and what is none stands for itself."""
    phone, german = bank.phone(user, protocol), {"language": "de", "resultTexts": {"reject": "Nein"}}
    name = template(bank, user, {"resultTexts": RESULTS}, german)
    order = bank.order(user, template=name)
    form = only(phone)["formData"]
    assert form["resultTexts"] == SHOWN_RESULTS and list(form["resultTexts"]) == list(RESULTS)
    assert list(form) == ["title", "message", "resultTexts", "attributes"]
    assert only(phone, {"Accept-Language": "de"})["formData"]["resultTexts"] == {"reject": "Nein"}
    approve(phone, order)
    assert history(phone)[0]["formData"] == form


def test_where_a_text_has_neither_none_is_sent(bank, user, protocol):
    """Null counts as left out, and no null reaches a phone."""
    phone, name = bank.phone(user, protocol), template(bank, user, {"resultTexts": None, "ui": None})
    bank.order(user, template=name)
    shown = only(phone)
    assert "ui" not in shown and "resultTexts" not in shown["formData"]


@pytest.mark.parametrize("odd", ODD_RESULTS, ids=short)
def test_result_texts_that_are_none_are_in_no_template(bank, user, odd):
    refuse_text(bank, user, {"resultTexts": odd})


# Screens


def test_screens_reach_the_phone_with_their_parameters(bank, user, protocol):
    """Each at its place, numbers and booleans as they are, names too; of those that nobody here knows as well."""
    phone, name = bank.phone(user, protocol), template(bank, user, {"ui": SCREENS})
    order = bank.order(user, template=name)
    told = json.dumps(SCREENS)
    for parameter, value in (PARAMETERS | {"missing": ""}).items():
        told = told.replace(f"${{{parameter}}}", value)
    filled = json.loads(told)
    filled["own"]["${note}"] = filled["own"].pop("books")
    ui = only(phone)["ui"]
    assert json.dumps(ui) == json.dumps(filled)
    approve(phone, order)
    assert history(phone)[0]["ui"] == ui


@pytest.mark.parametrize("value", [
    '","approve":true,"x":"', "${amount}${note}", "</script>\u2028\\u0000", "two\nlines\\", "", "🌳\u202eqqq", "x" * 4096], ids=short)
def test_a_parameter_is_text_whatever_it_holds(bank, user, protocol, value):
    """It ends no string of the screens, and is not looked at again."""
    phone, texts = bank.phone(user, protocol), {"ui": {"own": ["<${note}>"]}, "resultTexts": {"success": "<${note}>"}}
    name = template(bank, user, texts)
    bank.order(user, template=name, parameters=PARAMETERS | {"note": value})
    shown = only(phone)
    assert shown["ui"] == {"own": [f"<{value}>"]} and shown["formData"]["resultTexts"] == {"success": f"<{value}>"}


def test_an_operation_keeps_the_screens_that_it_was_begun_with(bank, user, protocol):
    """Whatever becomes of its template."""
    phone, name = bank.phone(user, protocol), template(bank, user, {"ui": SCREENS, "resultTexts": RESULTS})
    bank.order(user, template=name)
    before = only(phone)
    other = ENGLISH | {"ui": {"flipButtons": False}, "title": "Other"}
    bank.ask("PUT", f"/templates/{name}", PAYMENT | {"name": name, "texts": [other]})
    assert only(phone) == before
    bank.order(user, template=name)
    newest, oldest = read(phone, "/list")
    assert (newest["ui"], newest["formData"]["title"]) == ({"flipButtons": False}, "Other") and oldest == before
    assert requests.delete(f"{bank.base}/v2/templates/{name}", headers=bank.bearer, timeout=TIMEOUT_S).status_code == 204
    assert read(phone, "/list") == [newest, oldest]


@pytest.mark.parametrize("language", WORDS)
def test_risk_flags_are_screens_in_the_language_of_the_text(bank, user, protocol, language):
    """With heading and message, without which one of the SDKs ends; a scan comes before a warning."""
    phone, scan, warning = bank.phone(user, protocol), *WORDS[language]
    name = template(bank, user, {"language": language}, riskFlags="XCF")
    bank.order(user, template=name)
    ui = only(phone)["ui"]
    assert ui["flipButtons"] and ui["blockApprovalOnCall"] and len(ui) == 3
    assert ui["preApprovalScreen"].items() >= {"type": "WARNING", "heading": warning}.items() and ui["preApprovalScreen"]["message"]
    bank.order(user, template=name, proximityCheckEnabled=True)
    asked = read(phone, "/list")[0]["ui"]["preApprovalScreen"]
    assert asked.items() >= {"type": "QR_SCAN", "heading": scan}.items() and asked["message"]


def test_the_templates_screens_come_before_those_of_its_risk_flags(bank, user, protocol):
    """Member by member."""
    phone, own = bank.phone(user, protocol), {"flipButtons": False, "preApprovalScreen": screen()}
    bank.order(user, template=template(bank, user, {"ui": own}, riskFlags="XCF"))
    assert only(phone)["ui"] == own | {"blockApprovalOnCall": True}


@pytest.mark.parametrize("written, risk, checked, shown", [
    ("QR_SCAN", "", False, None), ("QR_SCAN", "F", False, "WARNING"), ("QR_SCAN", "F", True, "QR_SCAN"), ("INFO", "", True, "INFO"),
    (None, "", True, "QR_SCAN"), (None, "", False, None)])
def test_a_phone_is_asked_to_scan_only_what_is_shown(bank, user, protocol, written, risk, checked, shown):
    """By the operation's word on the proximity check, where the template says the contrary."""
    phone, own = bank.phone(user, protocol), screen(type=written)
    name = template(bank, user, {"ui": {"preApprovalScreen": own} if written else {}}, riskFlags=risk, proximityCheckEnabled=not checked)
    order = bank.order(user, template=name, proximityCheckEnabled=checked)
    ui = only(phone).get("ui", {})
    assert ui.get("preApprovalScreen", {}).get("type") == shown and ("proximityOtp" in order) == checked
    assert shown is None or (ui["preApprovalScreen"] == own) == (written == shown), "in the template's words"


@pytest.mark.parametrize("odd", ODD_SCREENS, ids=short)
def test_screens_that_a_phone_cannot_read_are_in_no_template(bank, user, odd):
    refuse_text(bank, user, {"ui": odd})


@pytest.mark.parametrize("odd", [
    '{"x": 1, "x": 2}', '{"x": 1e999}', '{"x": NaN}', '{"x": "\\ud800"}', '{"x": "\\u0000"}', '{"x": 1,}', '{"x": "\udcff"}',
    "[" * 40 + "]" * 40, '{"x":' * 40 + "1" + "}" * 40], ids=short)
def test_screens_that_are_no_json_are_in_no_template(bank, user, odd):
    """Nor what is nested without end; in the words of bytes that no library would send."""
    name = template(bank, user, {"ui": SCREENS})
    good = json.dumps(PAYMENT | {"name": name, "texts": [ENGLISH | {"ui": "HERE"}]})
    body, headers = good.replace('"HERE"', odd).encode(errors="surrogateescape"), bank.bearer | {"Content-Type": "application/json"}
    for method, path in (("POST", "/templates"), ("PUT", f"/templates/{name}")):
        answer = requests.request(method, f"{bank.base}/v2{path}", data=body, timeout=TIMEOUT_S, headers=headers)
        assert (answer.status_code, answer.json()["responseObject"]["code"]) == MALFORMED
    assert bank.ask("GET", f"/templates/{name}")["texts"] == [ENGLISH | {"ui": SCREENS}]


@pytest.mark.parametrize("member", ["ui", "resultTexts", "message"])
def test_placeholders_make_no_list_that_a_phone_cannot_take(bank, user, member):
    """Of few bytes many: filled, a text has 64 KiB at most, and what is longer begins nothing."""
    phone = bank.phone(user)
    value = {"ui": {"own": "${note}" * 1000}, "resultTexts": {"success": "${note}" * 1000}, "message": "${note}" * 256}[member]
    name = template(bank, user, {member: value})
    long = {"template": name, "appId": bank.app, "userId": user, "parameters": PARAMETERS | {"note": "x" * 4096}}
    assert bank.refused("POST", "/operations", long) == MALFORMED and bank.begun(user) == []
    bank.order(user, template=name)
    only(phone)


def test_placeholders_of_the_sdks_templates_are_left_to_them(bank, user, protocol):
    """They stand for attributes there, formatted by the phone."""
    phone, shown = bank.phone(user, protocol), {"list": {"header": "${operation.date} - ${operation.place}", "title": "${amount}"}}
    bank.order(user, template=template(bank, user, {"ui": {"templates": shown}}))
    assert only(phone)["ui"] == {"templates": shown}


@pytest.mark.parametrize("ui, left", [
    ({"preApprovalScreen": screen(type="${note}")}, None), ({"preApprovalScreens": [screen(type="QR_SCAN")]}, None),
    ({"preApprovalScreens": [screen(), screen(type="${note}")]}, {"preApprovalScreens": [screen()]})], ids=short)
def test_no_screen_asks_for_a_scan_of_what_nobody_shows(bank, user, ui, left):
    """Neither by a parameter's word, nor one of several."""
    phone = bank.phone(user)
    bank.order(user, template=template(bank, user, {"ui": ui}), parameters=PARAMETERS | {"note": "QR_SCAN"})
    assert only(phone).get("ui") == left


@pytest.mark.parametrize("attributes", [
    None, {}, ["x"], [{"type": "NOTE", "id": "a", "label": "", "note": ["x"]}], [{"partyInfo": {"name": "x"}, "type": "PARTY_INFO"}],
    [{"type": "PARTY_INFO", "id": "a", "label": "", "partyInfo": {"name": 7}}]], ids=short)
def test_attributes_to_be_reviewed_are_such_as_a_phone_can_read(bank, user, attributes):
    """An array within one is read for ever by one of the SDKs."""
    payload = {} if attributes is None else {"attributes": attributes}
    refuse_text(bank, user, {"ui": {"postApprovalScreen": screen(type="REVIEW", payload=payload)}})


def test_screens_of_64_kib_are_refused_by_their_length(bank, user):
    refuse_text(bank, user, {"ui": {"own": "x" * 65_536}}, TOO_LARGE)
