"""Authlib as an authorization server, as its documentation builds one: Flask, SQLAlchemy, tokens in PostgreSQL.

In: PEER_DATABASE, a name, and libpq's PGHOST, PGPORT, PGUSER for where it is; PEER_ISSUER,
PEER_CLIENT, PEER_SECRET, PEER_KEY.
"""
from __future__ import annotations

import os
import time

from authlib.integrations.flask_oauth2 import AuthorizationServer
from authlib.integrations.sqla_oauth2 import (
    OAuth2ClientMixin, OAuth2TokenMixin, create_query_client_func, create_revocation_endpoint, create_save_token_func)
from authlib.oauth2.rfc6749 import grants
from authlib.oauth2.rfc7523 import JWTBearerClientAssertion
from authlib.oauth2.rfc7662 import IntrospectionEndpoint
from flask import Flask
from flask_sqlalchemy import SQLAlchemy
from joserfc.jwk import KeySet
from sqlalchemy.dialects.postgresql import insert

from peer_keys import SIGNER, key_set

database = SQLAlchemy()


class Client(database.Model, OAuth2ClientMixin):
    id = database.Column(database.Integer, primary_key=True)
    user_id = database.Column(database.Integer)


class Token(database.Model, OAuth2TokenMixin):
    id = database.Column(database.Integer, primary_key=True)
    user_id = database.Column(database.Integer)


class UsedAssertion(database.Model):
    id = database.Column(database.String(300), primary_key=True)


class ClientAssertion(JWTBearerClientAssertion):
    CLIENT_AUTH_METHOD = "private_key_jwt"

    def get_audiences(self):
        return [os.environ["PEER_ISSUER"], os.environ["PEER_ISSUER"] + "/token"]

    def validate_jti(self, claims, jti):
        """Its row is committed with that of the token; whoever comes second with the same one waits, and finds it."""
        once = insert(UsedAssertion).values(id=f"{claims['sub']}-{jti}").on_conflict_do_nothing()
        return database.session.execute(once.returning(UsedAssertion.id)).scalar() is not None

    def resolve_client_public_key(self, client):
        return KeySet.import_key_set(client.jwks)


class ClientCredentials(grants.ClientCredentialsGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["client_secret_basic", ClientAssertion.CLIENT_AUTH_METHOD]


class Introspection(IntrospectionEndpoint):
    def query_token(self, token_string, token_type_hint):
        return database.session.query(Token).filter_by(access_token=token_string).first()

    def check_permission(self, token, client, request):
        return token.client_id == client.client_id

    def introspect_token(self, token):
        return {"active": True, "client_id": token.client_id, "token_type": token.token_type, "scope": token.scope,
                "iss": os.environ["PEER_ISSUER"], "exp": token.issued_at + token.expires_in, "iat": token.issued_at}


def prepare() -> None:
    """The tables, and the clients; once, before the workers start."""
    with app.app_context():
        database.create_all()
        for name, secret, metadata in (
                (os.environ["PEER_CLIENT"], os.environ["PEER_SECRET"],
                 {"token_endpoint_auth_method": "client_secret_basic"}),
                (SIGNER, "", {"token_endpoint_auth_method": ClientAssertion.CLIENT_AUTH_METHOD, "jwks": key_set()})):
            client = Client(client_id=name, client_secret=secret, client_id_issued_at=int(time.time()))
            client.set_client_metadata({"grant_types": ["client_credentials"], "scope": "read"} | metadata)
            database.session.add(client)
        database.session.commit()


app = Flask(__name__)
app.config |= {"SQLALCHEMY_DATABASE_URI": f"postgresql+psycopg:///{os.environ['PEER_DATABASE']}",
               "OAUTH2_TOKEN_EXPIRES_IN": {"client_credentials": 3_600}}
database.init_app(app)
server = AuthorizationServer(app, query_client=create_query_client_func(database.session, Client),
                             save_token=create_save_token_func(database.session, Token))
server.register_client_auth_method(ClientAssertion.CLIENT_AUTH_METHOD, ClientAssertion())
server.register_grant(ClientCredentials)
server.register_endpoint(create_revocation_endpoint(database.session, Token))
server.register_endpoint(Introspection)


@app.get("/ready")
def ready():
    return "ready"


@app.post("/token")
def token():
    return server.create_token_response()


@app.post("/introspect")
def introspect():
    return server.create_endpoint_response(Introspection.ENDPOINT_NAME)


@app.post("/revoke")
def revoke():
    return server.create_endpoint_response("revocation")


if __name__ == "__main__":
    prepare()
