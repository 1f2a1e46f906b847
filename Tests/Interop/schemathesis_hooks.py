"""What schemathesis cannot write by itself, for its `SCHEMATHESIS_HOOKS` (described.py)."""
import json
import os

import schemathesis
from joserfc.jwk import ECKey
from requests import Request

from keys import Proof

# An access token and the key that it is bound to, of whom all is asked: a proof is for one request, so no header can be given beforehand.
HOLDER = json.loads(os.environ.get("PANDO_SCHEMATHESIS_HOLDER") or "null")


@schemathesis.serializer("application/secevent+jwt")
def security_event_token(_context, value):
    """RFC 8935, 2.1: the token is the whole body."""
    return value if isinstance(value, bytes) else str(value).encode()


if HOLDER:
    HOLDERS_PROOF = Proof(ECKey.import_key(HOLDER["key"]), HOLDER["access_token"])

    @schemathesis.hook
    def before_call(_context, case, _kwargs):
        """RFC 9449, 7.1, in place of whatever was made up for these two headers."""
        shown = HOLDERS_PROOF(Request(case.method, case.operation.base_url.rstrip("/") + case.formatted_path))
        for name in [name for name in case.headers if name.lower() in ("dpop", "authorization")]:
            del case.headers[name]
        case.headers.update({"Authorization": shown.headers["Authorization"], "DPoP": shown.headers["DPoP"]})
