"""All kinds of services that `examples/` has."""
from __future__ import annotations

import pytest

from example_moodle import MoodleService
from example_services import PHPService, PythonService, SwiftService
from example_wordpress import WordPressService

KINDS = {service.kind: service for service in (PythonService, PHPService, SwiftService, WordPressService, MoodleService)}
EACH = [pytest.param(service, id=kind, marks=[pytest.mark.skipif(bool(service.missing()), reason=str(service.missing()))]) for kind, service in KINDS.items()]
