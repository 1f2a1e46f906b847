"""What operators let apps leave out."""
from __future__ import annotations

import pytest
from authlib.integrations.base_client import OAuthError

from phone import Phone, Release


def test_a_device_says_what_it_is_unless_its_app_is_marked(server):
    """Name, type and system are asked for at registration; `apps legacy` lets an old app leave them out."""
    release = Release.add(server)
    with pytest.raises(OAuthError) as refused:
        Phone(server.issuer, release, name="").register()
    assert refused.value.error == "invalid_client" and "missing: name" in refused.value.description

    marked = server.admin("apps", "legacy", release.app, "yes")
    assert marked["legacy"] is True and marked["already"] is False
    assert Phone(server.issuer, release, name="").register().client_id

    assert server.admin("apps", "legacy", release.app, "yes")["already"] is True
    assert server.admin("apps", "legacy", release.app, "no")["legacy"] is False
    with pytest.raises(OAuthError):
        Phone(server.issuer, release, name="").register()
    assert Phone(server.issuer, release).register().client_id
