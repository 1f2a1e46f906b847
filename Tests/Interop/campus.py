"""An institution's OpenID provider by pyop, with one person and one client: it asks nobody anything."""
from __future__ import annotations

import logging
import threading

from Cryptodome.PublicKey import RSA
from flask import Flask, Response, jsonify, redirect, request
from jwkest.jwk import RSAKey
from pyop.authz_state import AuthorizationState
from pyop.provider import Provider
from pyop.subject_identifier import HashBasedSubjectIdentifierFactory
from pyop.userinfo import Userinfo
from werkzeug.serving import make_server

PERSON = "pia"


class Campus:
    def __init__(self, client_id: str, secret: str, claims: dict):
        logging.getLogger("werkzeug").setLevel(logging.ERROR)
        web = Flask("campus")
        self._http = make_server("127.0.0.1", 0, web, threaded=True)
        self.issuer = f"http://127.0.0.1:{self._http.server_port}"
        self.client = {"client_id": client_id, "client_secret": secret, "redirect_uris": [], "response_types": ["code"],
                       "token_endpoint_auth_method": "client_secret_basic"}
        secure = self.issuer.replace("http:", "https:")  # pyop takes nothing else, and is told the truth below
        self.provider = Provider(
            RSAKey(key=RSA.generate(2048), kid="campus", alg="RS256", use="sig"),
            {"issuer": secure, "authorization_endpoint": f"{secure}/authorize", "token_endpoint": f"{secure}/token",
             "userinfo_endpoint": f"{secure}/userinfo", "jwks_uri": f"{secure}/jwks", "response_types_supported": ["code"],
             "subject_types_supported": ["public"], "id_token_signing_alg_values_supported": ["RS256"], "scopes_supported": ["openid", "profile", "email"],
             "token_endpoint_auth_methods_supported": ["client_secret_basic"], "grant_types_supported": ["authorization_code"]},
            AuthorizationState(HashBasedSubjectIdentifierFactory("salt")), {client_id: self.client}, Userinfo({PERSON: claims}))
        for name, value in list(self.provider.configuration_information.items()):
            if isinstance(value, str):
                self.provider.configuration_information[name] = value.replace(secure, self.issuer)
        web.add_url_rule("/.well-known/openid-configuration", "discovery", lambda: jsonify(self.provider.provider_configuration.to_dict()))
        web.add_url_rule("/jwks", "jwks", lambda: jsonify(self.provider.jwks))
        web.add_url_rule("/authorize", "authorize", self._authorize)
        web.add_url_rule("/token", "token", self._token, methods=["POST"])
        web.add_url_rule("/userinfo", "userinfo", self._userinfo)
        threading.Thread(target=self._http.serve_forever, daemon=True).start()

    def register(self, redirect_uri: str) -> None:
        self.client["redirect_uris"] = [redirect_uri]

    def close(self) -> None:
        self._http.shutdown()

    def _authorize(self) -> Response:
        asked = self.provider.parse_authentication_request(request.query_string.decode())
        return redirect(self.provider.authorize(asked, PERSON).request(asked["redirect_uri"]), 303)

    def _token(self) -> Response:
        return jsonify(self.provider.handle_token_request(request.get_data().decode(), request.headers).to_dict())

    def _userinfo(self) -> Response:
        return jsonify(self.provider.handle_userinfo_request(request.get_data().decode(), request.headers).to_dict())
