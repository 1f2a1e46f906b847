"""What schemathesis cannot write by itself, for its `SCHEMATHESIS_HOOKS` (described.py)."""
import schemathesis


@schemathesis.serializer("application/secevent+jwt")
def security_event_token(_context, value):
    """RFC 8935, 2.1: the token is the whole body."""
    return value if isinstance(value, bytes) else str(value).encode()
