"""The plugin of `examples/services/moodle` on a stub of Moodle's API (`moodle/`): Debian has no Moodle, so what is Moodle's own is not run."""
from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path
from xml.etree import ElementTree

from example_services import PHPService, Plugin

USERS = """create table mdl_user (id integer primary key, auth text, username text unique, firstname text, lastname text, email text, confirmed integer,
                                  mnethostid integer, deleted integer, suspended integer)"""


def statements(install: Path) -> list[str]:
    """Tables and indices of an install.xml, as XMLDB would make them."""
    found = []
    for table in ElementTree.parse(install).getroot().iter("TABLE"):
        name = "mdl_" + table.get("NAME")
        fields = [f"{field.get('NAME')} {'text' if field.get('TYPE') in ('char', 'text') else 'integer'}"
                  + (" primary key" if field.get("SEQUENCE") == "true" else " not null" if field.get("NOTNULL") == "true" else "") for field in table.iter("FIELD")]
        found.append(f"create table {name} ({', '.join(fields)})")
        found += [f"create {'unique ' if index.get('UNIQUE') == 'true' else ''}index {name}_{index.get('NAME')} on {name} ({index.get('FIELDS')})"
                  for index in table.iter("INDEX")]
    return found


class MoodleService(Plugin):
    kind, scope, path, example_of = "moodle", "org.moodle.courses", "/local/pando/index.php", "services/moodle"

    @classmethod
    def missing(cls) -> str | None:
        return PHPService.missing()

    @property
    def root(self) -> Path:
        return self.folder / "moodle"

    @property
    def home(self) -> str:
        return self.base

    @property
    def api(self) -> str:
        return f"{self.base}/courses"

    def who(self, answer: dict):
        return answer["user"]

    @property
    def command(self) -> list:
        return ["php", "-S", f"127.0.0.1:{self.port}", "-t", self.root]

    def environment(self) -> dict[str, str]:
        return {"WWWROOT": f"http://127.0.0.1:{self.port}", "STATE": str(self.folder / "state.sqlite"), "ISSUER": self.issuer, "CLIENTID": self.client[0],
                "CLIENTSECRET": self.client[1], "ENTER": "1", "PHP_CLI_SERVER_WORKERS": "4"}

    def start(self, **settings: str) -> "MoodleService":
        """As Moodle spells them."""
        return super().start(**{name.replace("_", ""): value for name, value in settings.items()})

    def prepare(self) -> None:
        shutil.copytree(Path(__file__).parent / "moodle", self.root)
        (self.root / "local").mkdir()
        super().prepare()
        database = sqlite3.connect(self.folder / "state.sqlite")
        for statement in ["pragma journal_mode = wal", USERS, *statements(self.root / "local/pando/db/install.xml")]:
            database.execute(statement)
        database.close()
