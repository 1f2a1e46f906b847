#!/usr/bin/python3
"""`make sbom`: what is in the binary, as CycloneDX 1.5, and whether its licences are ones that we take.

In:  Package.resolved and deploy/dependencies.txt, which must agree; the checkouts that SwiftPM made, with the licences that they bring;
     deploy/licences.json: which licences are allowed, and what was read by people because no file says it; deploy/licences: their texts
     --out FILE        the document (stdout)
     --notices         instead of it, the texts of all licences and notices, one behind the other
     --binary FILE     whose libraries are named too, with the Debian packages that they are of
     --checkouts DIR   (.build/checkouts)   --resolved FILE (Package.resolved)
Out: exit 1, and a line for each thing that is wrong: a licence that is not allowed or not known, or whose text nobody has; C sources that
     nobody has looked at; a package that was not tested. The same input makes the same bytes.
"""
from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import uuid
from datetime import datetime, timezone
from pathlib import Path

HERE = Path(__file__).resolve().parent
# What stands in a text and in no other's of the list, blanks as one; the first that fits.
TEXTS = [
    ("Apache-2.0 WITH Swift-exception", "Runtime Library Exception to the Apache 2.0 License"),
    ("Apache-2.0", "Apache License Version 2.0, January 2004"),
    ("MIT", "Permission is hereby granted, free of charge, to any person obtaining a copy"),
    ("BSD-3-Clause", "Neither the name of"),
    ("BSD-2-Clause", "Redistributions in binary form must reproduce"),
    ("ISC", "Permission to use, copy, modify, and/or distribute this software for any purpose"),
]
# The texts of the first two come with packages; the last one asks for nothing.
NEED_NO_TEXT = {"Apache-2.0", "Apache-2.0 WITH Swift-exception", "CC0-1.0"}


class Bill:
    def __init__(self, options):
        self.checkouts, self.known = Path(options.checkouts), json.loads((HERE / "licences.json").read_text())
        self.wrong: list[str] = []
        self.tested = dict(line.split() for line in (HERE / "dependencies.txt").read_text().splitlines() if line and not line.startswith("#"))
        self.pins = {Path(pin["location"]).name.removesuffix(".git"): pin for pin in json.loads(Path(options.resolved).read_text())["pins"]}
        self.binary = options.binary

    # Licences

    def licence_of(self, text: str) -> str | None:
        text = " ".join(text.split())
        return next((licence for licence, phrase in TEXTS if phrase in text), None)

    def licence(self, name: str) -> str:
        files = [file for file in (self.checkouts / name).glob("LICENSE*") if file.is_file()]
        found = {self.licence_of(file.read_text(errors="replace")) for file in files}
        if len(found) != 1 or None in found:
            self.wrong.append(f"{name}: its licence is not known")
            return "NOASSERTION"
        return self.checked(name, found.pop())

    def checked(self, name: str, expression: str) -> str:
        """Of `A OR B` one must be allowed, of `A AND B` both."""
        for choice in expression.split(" OR "):
            if all(one in self.known["allowed"] for one in choice.split(" AND ")):
                return expression
        self.wrong.append(f"{name}: {expression} is not allowed by deploy/licences.json")
        return expression

    def look_for_text(self, part: dict, folder: Path | None = None) -> None:
        """Most licences want their words, with the names in them, to go along with a binary."""
        if part["licence"] in NEED_NO_TEXT or folder and any(folder.glob("LICENSE*")):
            return
        if "text" not in part or not (HERE / part["text"]).is_file():
            self.wrong.append(f"{part['name']}: {part['licence']} wants its text to go along, and there is none")

    def look_for_strangers(self, name: str) -> None:
        """C in a package is often somebody else's."""
        seen = {f"{part['package']}/{part['folder']}" for part in self.known["parts"]} | set(self.known["own"])
        folder = self.checkouts / name / "Sources"
        for source in sorted({file.relative_to(folder).parts[0] for kind in ("c", "cc", "S") for file in folder.rglob(f"*.{kind}")}):
            if f"{name}/Sources/{source}" not in seen:
                self.wrong.append(f"{name}/Sources/{source}: C that nobody has looked at; its row belongs into deploy/licences.json")

    # Components

    def packages(self) -> list[dict]:
        for name in sorted({name.lower() for name in self.pins} ^ self.tested.keys()):
            self.wrong.append(f"{name}: in only one of Package.resolved and deploy/dependencies.txt")
        made = []
        for name, pin in sorted(self.pins.items(), key=lambda pair: pair[0].lower()):
            version, place = pin["state"].get("version", ""), pin["location"].removesuffix(".git")
            if self.tested.get(name.lower(), version) != version:
                self.wrong.append(f"{name}: resolved as {version}, and not as it was tested")
            self.look_for_strangers(name)
            reference = f"pkg:swift/{place.removeprefix('https://')}@{version}"
            made.append({
                "type": "library", "bom-ref": reference, "name": name, "version": version, "purl": reference, "licenses": told(self.licence(name)),
                "externalReferences": [{"type": "vcs", "url": pin["location"], "comment": f"revision {pin['state']['revision']}"}],
            } | self.inside(name, reference))
        return made

    def inside(self, name: str, reference: str) -> dict:
        """What a package carries of others."""
        parts = [part for part in self.known["parts"] if part["package"] == name]
        for part in parts:
            if not (self.checkouts / name / part["folder"]).is_dir():
                self.wrong.append(f"{name}/{part['folder']} is in deploy/licences.json, and gone")
            self.look_for_text(part, self.checkouts / name / part["folder"])
        made = [{"type": "library", "bom-ref": f"{reference}#{part['folder']}", "name": part["name"],
                 "licenses": told(self.checked(f"{name}/{part['folder']}", part["licence"]))} for part in parts]
        return {"components": made} if made else {}

    def runtime(self) -> list[dict]:
        version = re.search(r"Swift version (\S+)", run("swift", "--version"))
        for one in self.known["runtime"]:
            self.look_for_text(one)
        return [{"type": "framework" if one["name"] == "swift" else "library", "bom-ref": f"runtime:{one['name']}", "name": one["name"],
                 "description": one["is"], "licenses": told(self.checked(one["name"], one["licence"]))}
                | ({"version": version.group(1)} if version and one["name"] == "swift" else {}) for one in self.known["runtime"]]

    def libraries(self) -> list[dict]:
        """Those that the binary names, of this Debian."""
        if not self.binary:
            return []
        wanted = re.findall(r"NEEDED\s+(\S+)", run("objdump", "-p", self.binary))
        places = dict(re.findall(r"^\s*(\S+) \(.*\) => (\S+)$", run("ldconfig", "-p"), re.MULTILINE))
        names = set()
        for library in wanted:
            place = os.path.realpath(places.get(library, library))
            # Where /lib is /usr/lib, dpkg knows a file by the one that it was packed under.
            owner = run("dpkg-query", "-S", place) or run("dpkg-query", "-S", place.removeprefix("/usr"))
            if owner:
                names.add(owner.split(":")[0])
            elif not library.startswith(("libswift", "lib_Foundation", "libFoundation", "libdispatch", "libBlocksRuntime", "ld-linux")):
                self.wrong.append(f"{library}: of no package of this machine's")
        made = []
        for name in sorted(names):
            version = run("dpkg-query", "-W", "-f", "${Version}\n", name).split("\n")[0]
            licence = self.known["libraries"].get(name)
            if licence is None:
                self.wrong.append(f"{name}: its licence is not in deploy/licences.json")
            reference = f"pkg:deb/debian/{name}@{version}"
            made.append({"type": "library", "bom-ref": reference, "name": name, "version": version, "purl": reference, "scope": "required",
                         "description": "of the system, linked when the program starts", "licenses": told(self.checked(name, licence or "NOASSERTION"))})
        return made

    # The document

    def document(self) -> dict:
        version = re.search(r'text = "([^"]+)"', (HERE.parent / "Sources/Server/Version.swift").read_text()).group(1)
        itself = {"type": "application", "bom-ref": "pando", "name": "pando", "version": version, "licenses": told("Apache-2.0")}
        packages = self.packages()
        components = packages + self.runtime() + self.libraries()
        references = {component["name"].lower(): component["bom-ref"] for component in packages}
        asked = [{"ref": "pando", "dependsOn": sorted(self.depends(HERE.parent / "Package.swift", references)
                                                      | {one["bom-ref"] for one in components[len(packages):]})}]
        asked += [{"ref": one["bom-ref"], "dependsOn": sorted(self.depends(self.checkouts / one["name"] / "Package.swift", references))} for one in packages]
        made = {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
                "metadata": {"tools": {"components": [{"type": "application", "name": "deploy/sbom.py", "version": version}]}, "component": itself},
                "components": components, "dependencies": asked}
        # From what is in it: the same bill has the same name.
        serial = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(made, sort_keys=True))
        when = datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH") or run("git", "log", "-1", "--format=%ct") or 0), timezone.utc)
        made["metadata"] = {"timestamp": when.strftime("%Y-%m-%dT%H:%M:%SZ")} | made["metadata"]
        return {"bomFormat": made.pop("bomFormat"), "specVersion": made.pop("specVersion"), "serialNumber": f"urn:uuid:{serial}"} | made

    @staticmethod
    def depends(manifest: Path, references: dict[str, str]) -> set[str]:
        named = re.findall(r'\.package\(\s*(?:name: "[^"]*",\s*)?url:\s*"([^"]+)"', manifest.read_text())
        return {references[name] for place in named if (name := Path(place).name.removesuffix(".git").lower()) in references}

    def notices(self) -> str:
        texts: dict[str, list[str]] = {}
        for name in sorted(self.pins, key=str.lower):
            folder = self.checkouts / name
            for file in [*sorted(folder.glob("LICENSE*")), *sorted(folder.glob("NOTICE*")), *sorted(folder.glob("Sources/*/LICENSE*"))]:
                place = f"{name} {self.pins[name]['state'].get('version', '')}: {file.relative_to(folder)}"
                texts.setdefault(file.read_text(errors="replace").strip("\n"), []).append(place)
        for part in self.known["parts"] + self.known["runtime"]:
            self.look_for_text(part, self.checkouts / part["package"] / part["folder"] if "package" in part else None)
            if "text" in part:
                texts.setdefault((HERE / part["text"]).read_text().strip("\n"), []).append(f"{part['name']}, in {part.get('package', 'Foundation')}")
        return "\n".join(f"{'=' * 78}\n" + "\n".join(places) + f"\n\n{text}\n" for text, places in texts.items())


def told(expression: str) -> list[dict]:
    return [{"expression": expression}] if " " in expression else [{"license": {"id": expression}}]


def run(*command: str) -> str:
    try:
        return subprocess.run(command, cwd=HERE.parent, text=True, capture_output=True).stdout
    except FileNotFoundError:
        return ""


def main() -> int:
    parser = argparse.ArgumentParser(description="Tells what is in the binary, and refuses licences that are not ours to pass on.")
    parser.add_argument("--out")
    parser.add_argument("--notices", action="store_true")
    parser.add_argument("--binary")
    parser.add_argument("--checkouts", default=os.environ.get("PANDO_CHECKOUTS") or HERE.parent / ".build/checkouts")
    parser.add_argument("--resolved", default=os.environ.get("PANDO_RESOLVED") or HERE.parent / "Package.resolved")
    options = parser.parse_args()
    bill = Bill(options)
    text = bill.notices() if options.notices else json.dumps(bill.document(), indent=2, ensure_ascii=False) + "\n"
    for line in bill.wrong:
        print(f"sbom: {line}", file=sys.stderr)
    if bill.wrong:
        return 1
    Path(options.out).write_text(text) if options.out else print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
