"""The timer of the backup of each night, and what its service calls; what that does is test_backups.py's, how closed it is test_packaging.py's."""
from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from tempfile import mkdtemp

from server import CHECKOUT

DEPLOY, TIMER = CHECKOUT / "deploy", "pando-backup.timer"


def run(*command: object) -> subprocess.CompletedProcess:
    return subprocess.run([*map(str, command)], cwd=CHECKOUT, text=True, capture_output=True, timeout=60)


def test_the_timer_has_a_next_time_and_only_an_operator_enables_it(folder):
    place = Path(mkdtemp(dir=folder))
    shutil.copy(DEPLOY / TIMER, place)
    (place / "pando-backup.service").write_text("[Service]\nType=oneshot\nExecStart=/bin/true\n")
    verified = run("systemd-analyze", "verify", "--man=no", place / TIMER)
    assert verified.returncode == 0 and TIMER not in verified.stderr, verified.stderr
    assert "Next elapse: " in run("systemd-analyze", "calendar", re.search(r"^OnCalendar=(.*)$", (place / TIMER).read_text(), re.MULTILINE).group(1)).stdout
    for script in ("postinst", "pando-setup"):
        assert "backup" not in (DEPLOY / "debian" / script).read_text(), script


def test_what_the_backup_calls_is_installed():
    """By the package and by hand."""
    for text in ((DEPLOY / "deb.sh").read_text(), (DEPLOY / "README.md").read_text()):
        line = next(line for line in text.splitlines() if "install" in line and "deploy/nightly.sh" in line)
        assert all(f"deploy/{script}.sh" in line for script in ("backup", "restore", "conninfo", "postgres")), line
