"""The provider, by Authlib: addresses, algorithms and keys are in its metadata."""
from urllib.parse import urlencode

from authlib.integrations.django_client import OAuth
from django.conf import settings
from joserfc import jwt
from joserfc.errors import InvalidKeyIdError
from joserfc.jwk import KeySet

LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout"

pando = OAuth().register(
    "pando", client_id=settings.OIDC["client_id"], client_secret=settings.OIDC["client_secret"],
    server_metadata_url=f"{settings.OIDC['issuer']}/.well-known/openid-configuration",
    client_kwargs={"scope": "openid profile email", "code_challenge_method": "S256", "default_timeout": 30})


def logout_url(id_token: str) -> str:
    """Where the session at the provider ends too; it leads back to the start page."""
    return pando.load_server_metadata()["end_session_endpoint"] + "?" + urlencode(
        {"client_id": pando.client_id, "id_token_hint": id_token, "post_logout_redirect_uri": f"{settings.SITE}/"})


def ended_session(logout_token: str) -> str:
    """The `sid` of a logout token (OpenID Connect Back-Channel Logout, 2.6). Raises ValueError or joserfc's JoseError."""
    metadata = pando.load_server_metadata()
    algorithms = [name for name in metadata["id_token_signing_alg_values_supported"] if name != "none"]
    try:
        token = jwt.decode(logout_token, KeySet.import_key_set(pando.fetch_jwk_set()), algorithms=algorithms)
    except InvalidKeyIdError:       # signed with a key that is new
        token = jwt.decode(logout_token, KeySet.import_key_set(pando.fetch_jwk_set(force=True)), algorithms=algorithms)
    jwt.JWTClaimsRegistry(
        leeway=60, iss={"essential": True, "value": metadata["issuer"]}, aud={"essential": True, "value": pando.client_id},
        exp={"essential": True}, iat={"essential": True}, sid={"essential": True}).validate(token.claims)
    if token.header.get("typ") != "logout+jwt" or "nonce" in token.claims or token.claims.get("events") != {LOGOUT_EVENT: {}}:
        raise ValueError("this is no logout token")
    return token.claims["sid"]
