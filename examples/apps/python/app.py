"""The command line of the example: `python app.py --help`. What one copies is in keys.py and phone.py."""
from __future__ import annotations

import argparse
import getpass
import json
import os
import platform
import sys
from pathlib import Path

import requests
from joserfc.jwk import ECKey

from keys import Proof, new_key, public
from phone import LINKS, Phone, Refused, Store, checked


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="A phone app of a Pando federation, on a command line.")
    parser.add_argument("--state", type=Path, default=Path("phone.json"), help="keys and tokens of this installation")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, text, *words in (
            ("key", "make a version's key in FILE, and print its public half", "file"),
            ("register", "become an installation of a version of an app, or of its next version", "issuer", "app", "version", "file"),
            ("login", "log a person in; the password is asked for, or read from standard input", "username"),
            ("find", "services that offer a protocol", "protocol"),
            ("get", "open the first of them, hand a token to an app, and GET the protocol's link as that app", "protocol", "bundle"),
            ("refresh", "take new tokens for the person"), ("disconnect", "end this installation and all that came of it")):
        command = commands.add_parser(name, help=text)
        for word in words:
            command.add_argument(word)
        if name == "login":
            command.add_argument("--factor", choices=[*LINKS, "recovery"], help="show this second factor, where the person has it")
    return parser.parse_args()


def read(prompt: str) -> str:
    return getpass.getpass(prompt) if sys.stdin.isatty() else sys.stdin.readline().rstrip("\n")


def run(words: argparse.Namespace) -> str:
    if words.command == "key":
        key = new_key()
        with os.fdopen(os.open(words.file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
            json.dump(key.as_dict(private=True), file)
        return json.dumps(public(key))
    store = Store(words.state)
    phone = Phone(store, words.issuer if words.command == "register" else store["issuer"])
    match words.command:
        case "register":
            key = ECKey.import_key(json.loads(Path(words.file).read_text()))
            phone.register(words.app, words.version, key, name=platform.node() or "Phone", device_type="computer", os_version=platform.release())
            return f"registered as {store['client_id']}"
        case "login":
            phone.log_in(words.username, read("password: "), lambda link: print("open on your phone:", link, flush=True), read, words.factor)
            return f"logged in as {words.username}"
        case "find":
            return "\n".join(f"{service['engineName']}: {service['apis'][words.protocol]['apiLink']}" for service in phone.find(words.protocol))
        case "get":
            apis, app_key = phone.find(words.protocol)[0]["apis"], phone.key_of(words.bundle)
            token = phone.authorize(apis["org.ietf.oauth2"]["apiLink"], words.bundle, words.protocol, app_key)
            return checked(requests.get(apis[words.protocol]["apiLink"], auth=Proof(app_key, token["access_token"]), timeout=30)).text
        case "refresh":
            phone.refresh("person")
            return "refreshed"
        case "disconnect":
            phone.disconnect()
            return "disconnected"


if __name__ == "__main__":
    try:
        print(run(arguments()))
    except (Refused, ValueError, OSError) as problem:
        sys.exit(f"app: {problem}")
    except (KeyError, IndexError) as missing:
        sys.exit(f"app: there is no {missing}: register and log in first, and look whether `find` finds a service")
