"""What deploy/ hands to systemd, dpkg, Kubernetes and auditors: read by the programs that read it there."""
from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
import shutil
import socket
import subprocess
from pathlib import Path
from tempfile import mkdtemp

import pytest
import requests
import yaml

from authority import Authority
from server import CHECKOUT, free_port, plain_environment
from waiting import eventually

DEPLOY = CHECKOUT / "deploy"
UNITS = ("pando.service", "pando-migrate.service", "pando-backup.service")
STUB = """#!/bin/sh
case "$1" in
--version) echo '0.1.0 (0123456789ab)' ;;
man) mkdir -p "$3" && printf '.TH PANDO 1\\n.SH NAME\\npando \\\\- a stub\\n' >"$3/pando.1" ;;
completion) mkdir -p "$5" && echo '# completion' >"$5/$3" ;;
*) env | grep '^PANDO_' | sort; id -un; echo "$@" ;;
esac
"""


def run(*command: object, **options) -> subprocess.CompletedProcess:
    return subprocess.run([*map(str, command)], cwd=CHECKOUT, text=True, capture_output=True, timeout=180, **options)


# systemd


@pytest.mark.parametrize("unit", UNITS)
def test_units_are_well_formed_and_closed(unit, folder):
    """No word that systemd does not know, and an exposure of 2 at most, by its own count."""
    place = Path(mkdtemp(dir=folder))
    for name in UNITS:
        # A program that is there: whether Pando is installed here is no question.
        (place / name).write_text(re.sub(r"/opt/pando/(pando|nightly\.sh)", "/bin/true", (DEPLOY / name).read_text()).replace("WorkingDirectory=/opt/pando", "WorkingDirectory=/"))
    verified = run("systemd-analyze", "verify", "--man=no", place / unit)
    assert verified.returncode == 0 and unit not in verified.stderr, verified.stderr

    told = run("systemd-analyze", "security", "--offline=true", "--no-pager", DEPLOY / unit).stdout

    assert float(re.search(r"exposure level for \S+: ([\d.]+)", told).group(1)) <= 2


def test_the_server_is_never_given_up():
    unit = (DEPLOY / "pando.service").read_text()
    assert {"Type=notify", "StartLimitIntervalSec=0", "Restart=on-failure"} <= set(unit.splitlines())


def test_nobody_is_cut_off_when_the_server_stops():
    """The longest `drain-delay` that is taken, and what is under way after it."""
    longest = int(re.search(r"\| `drain-delay` .* 0 to (\d+);", (CHECKOUT / "docs/operate.md").read_text()).group(1))
    waits = int(re.search(r"^TimeoutStopSec=(\d+)$", (DEPLOY / "pando.service").read_text(), re.MULTILINE).group(1))
    assert waits > longest + 20


# dpkg


@pytest.fixture(scope="module")
def package(folder):
    """Of a program that answers as ours does: what is packed is the scripts' matter."""
    place = Path(mkdtemp(dir=folder))
    stub = place / "pando"
    stub.write_text(STUB)
    stub.chmod(0o755)
    environment = plain_environment() | {"PANDO_DEB_BINARY": str(stub), "PANDO_DEB_COMPRESSION": "none", "SOURCE_DATE_EPOCH": "1795000000", "PANDO_DEB_VERSION": "0.1.0~test",
                                         "PANDO_DEB_LIBRARIES": "libc6", **{name: os.environ[name] for name in ("PANDO_CHECKOUTS", "PANDO_RESOLVED") if name in os.environ}}
    made = []
    for out in ("one", "two"):
        finished = run(DEPLOY / "deb.sh", env=environment | {"PANDO_DEB_OUT": str(place / out)})
        assert finished.returncode == 0, finished.stderr
        made.append(Path(finished.stdout.splitlines()[-1]))
    return made


def test_a_package_is_made_the_same_twice(package):
    assert len({hashlib.sha256(one.read_bytes()).hexdigest() for one in package}) == 1


def test_a_package_has_what_a_server_needs(package, folder):
    place = Path(mkdtemp(dir=folder))
    assert run("dpkg-deb", "--extract", package[0], place).returncode == 0
    assert run("dpkg-deb", "--field", package[0], "Version").stdout.strip() == "0.1.0~test"

    assert len(list((place / "usr/lib/pando/migrations").glob("*.sql"))) == len(list((CHECKOUT / "migrations").glob("*.sql")))
    for needed in ("usr/bin/pando", "usr/sbin/pando-setup", "usr/lib/pando/passwords/common.txt", "usr/lib/pando/restore.sh", "usr/lib/pando/conninfo.sh", "usr/lib/sysusers.d/pando.conf",
                   "usr/share/man/man1/pando.1.gz", "usr/share/bash-completion/completions/bash", "usr/share/doc/pando/copyright", "lib/systemd/system/pando-migrate.service",
                   "usr/lib/pando/nightly.sh", "lib/systemd/system/pando-backup.timer", "lib/systemd/system/pando-backup.service"):
        assert (place / needed).is_file(), needed
    for unit in UNITS:
        assert "/opt/pando" not in (place / "lib/systemd/system" / unit).read_text(), unit
    assert not list(place.glob("**/*.wants/*")), "an operator enables units"
    assert "Apache License" in (place / "usr/share/doc/pando/copyright").read_text()
    documents = place / "usr/share/doc/pando"
    for document in ("operate.md", "runbook.md", "high-availability.md", "tracing.md"):
        for link in re.findall(r"\]\(((?!https?:)[^)#]+)", (documents / "docs" / document).read_text()):
            assert (documents / "docs" / link).exists(), f"{document} leads to {link}, which is not in the package"
    assert not (place / "etc").exists(), "settings are the operator's from the first moment, and no conffile"
    listed = run("dpkg-deb", "--contents", package[0]).stdout
    assert all(" root/root " in line and line[8] != "w" for line in listed.splitlines()), "all of it is root's, and nobody else writes it"


@pytest.mark.skipif(os.getuid() != 0, reason="it is root for whom the settings are read")
def test_the_program_reads_the_settings_as_the_server_does(folder):
    place = Path(mkdtemp(dir=folder))
    (place / "pando").write_text(STUB)
    (place / "pando").chmod(0o755)
    wrapper = (DEPLOY / "debian/pando").read_text().replace("setpriv --reuid pando --regid pando --init-groups -- ", "")
    (place / "wrapper").write_text(wrapper.replace("/usr/lib/pando/pando", str(place / "pando")).replace("/etc/pando/pando.env", str(place / "pando.env")))
    (place / "pando.env").write_text("# PANDO_BIND=0.0.0.0\nPANDO_BRAND_NAME='An $(id) name'\nPANDO BAD=1\nPANDO-BAD=1\nPANDO_PORT=8081\nPANDO_DATABASE=\"host=a b=c\"\nPANDO_ROLES=idp")

    told = run("sh", place / "wrapper", "status", env=plain_environment() | {"PANDO_PORT": "8082"})

    assert told.returncode == 0, told.stderr
    assert {"PANDO_BRAND_NAME=An $(id) name", "PANDO_DATABASE=host=a b=c", "PANDO_PORT=8082", "PANDO_ROLES=idp"} <= set(told.stdout.splitlines())
    assert "BAD" not in told.stdout and "PANDO_BIND" not in told.stdout


@pytest.mark.skipif(os.getuid() != 0, reason="only root sets a machine up")
@pytest.mark.parametrize("issuer", ["https://", "https://id.example/", "https://id.example/path", "https://id example", "https://id.example\nPANDO_BIND=0.0.0.0", "https://id.example?a",
                                    "https://ada@id.example", "http://id.example", "http://localhost:8080/path", "http://localhost:8080\nPANDO_BIND=0.0.0.0"])
def test_an_issuer_that_is_none_changes_nothing(issuer, folder):
    """It is for ever, and stands on a line of a file of settings: pando-setup takes a name, and perhaps a port."""
    place = Path(mkdtemp(dir=folder))
    (place / "pando.env").write_text("PANDO_ISSUER=https://id.example.org\n")
    (place / "pando-setup").write_text((DEPLOY / "debian/pando-setup").read_text().replace("/etc/pando", str(place)).replace("/usr/lib/pando", "/nonexistent"))

    refused = run("sh", place / "pando-setup", issuer)

    assert refused.returncode == 1 and "an issuer" in refused.stderr
    assert (place / "pando.env").read_text() == "PANDO_ISSUER=https://id.example.org\n"


def test_a_release_is_of_a_commit(folder):
    """Neither with a file that was changed, nor with one that git does not know, nor of a binary of another one."""
    place = Path(mkdtemp(dir=folder))
    (place / "deploy").mkdir()
    shutil.copy(DEPLOY / "release.sh", place / "deploy")
    git = ["git", "-C", place, "-c", "user.name=t", "-c", "user.email=t@example.org"]
    for command in (["init", "--quiet"], ["add", "--all"], ["commit", "--quiet", "--message", "one"]):
        assert run(*git, *command).returncode == 0
    environment = plain_environment() | {"PANDO_RELEASE_BINARY": str(place / "none")}
    clean = run(place / "deploy/release.sh", env=environment)
    stub = folder / "another"
    stub.write_text(STUB)
    stub.chmod(0o755)
    another = run(place / "deploy/release.sh", env=environment | {"PANDO_RELEASE_BINARY": str(stub)})
    (place / "migration.sql").write_text("select 1;\n")

    refused = run(place / "deploy/release.sh", env=environment)

    assert "there is no binary" in clean.stderr, clean.stderr
    assert another.returncode == 1 and "0.1.0 (0123456789ab), and not of this commit" in another.stderr, another.stderr
    assert refused.returncode == 1 and "not committed" in refused.stderr


# Auditors


def test_the_bill_names_every_package_and_takes_no_other_licence(folder):
    document = json.loads(run(DEPLOY / "sbom.py").stdout)
    names = {component["name"].lower() for component in document["components"]}
    tested = {line.split()[0] for line in (DEPLOY / "dependencies.txt").read_text().splitlines() if line and not line.startswith("#")}
    assert (document["bomFormat"], document["specVersion"]) == ("CycloneDX", "1.5") and tested <= names

    place = Path(mkdtemp(dir=folder))
    for file in ("sbom.py", "licences.json", "dependencies.txt"):
        (place / "deploy").mkdir(exist_ok=True)
        shutil.copy(DEPLOY / file, place / "deploy" / file)
    (place / "Sources/Server").mkdir(parents=True)
    shutil.copy(CHECKOUT / "Sources/Server/Version.swift", place / "Sources/Server")
    shutil.copy(CHECKOUT / "Package.swift", place)
    known = json.loads((place / "deploy/licences.json").read_text())
    known["allowed"].remove("MIT")
    known["own"].remove("swift-system/Sources/CSystem")
    shutil.copytree(DEPLOY / "licences", place / "deploy/licences")
    (place / "deploy/licences/icu.txt").unlink()
    (place / "deploy/licences.json").write_text(json.dumps(known))
    options = ["--checkouts", os.environ.get("PANDO_CHECKOUTS") or CHECKOUT / ".build/checkouts", "--resolved", os.environ.get("PANDO_RESOLVED") or CHECKOUT / "Package.resolved"]

    refused = run(place / "deploy/sbom.py", *options)

    assert refused.returncode == 1 and refused.stdout == ""
    assert "jwt-kit: MIT is not allowed" in refused.stderr and "CSystem: C that nobody has looked at" in refused.stderr
    assert "icu: Unicode-3.0 wants its text to go along" in refused.stderr and "libyaml: MIT wants" not in refused.stderr


def test_what_goes_along_has_the_words_of_those_whose_code_is_in_the_binary():
    told = run(DEPLOY / "sbom.py", "--notices")
    assert told.returncode == 0, told.stderr
    for words in ("UNICODE LICENSE V3", "Kirill Simonov", "WIDE Project", "Fedor Indutny", "Runtime Library Exception to the Apache 2.0 License"):
        assert words in told.stdout, words


# Kubernetes, compose


def resources() -> list[dict]:
    return [one for file in sorted((DEPLOY / "kubernetes/base").glob("*.yaml")) if file.name != "kustomization.yaml" for one in yaml.safe_load_all(file.read_text())]


def test_pods_are_closed_and_leave_in_time():
    pods = {one["metadata"]["name"]: one["spec"]["template"]["spec"] for one in resources() if one["kind"] in ("Deployment", "Job")}
    assert set(pods) == {"pando", "pando-migrate"}
    for pod in pods.values():
        assert pod["enableServiceLinks"] is False and pod["automountServiceAccountToken"] is False and pod["securityContext"]["runAsNonRoot"] is True
        for container in pod["containers"]:
            assert container["securityContext"] == {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}}
    server = pods["pando"]["containers"][0]
    overlay = yaml.safe_load((DEPLOY / "kubernetes/overlays/example/kustomization.yaml").read_text())
    said = dict(line.split("=", 1) for line in overlay["configMapGenerator"][0]["literals"])
    drain = int(said["PANDO_DRAIN_DELAY"])
    assert int(server["lifecycle"]["preStop"]["exec"]["command"][1]) + drain + 20 < pods["pando"]["terminationGracePeriodSeconds"]
    most = next(one["spec"]["maxReplicas"] for one in resources() if one["kind"] == "HorizontalPodAutoscaler")
    assert (most + 1) * (int(said["PANDO_DATABASE_CONNECTIONS"]) + 1) <= 97, "more connections than a PostgreSQL as it comes has for one role"
    assert server["readinessProbe"]["httpGet"]["path"] == "/readyz" and server["livenessProbe"]["httpGet"]["path"] == "/healthz"


def test_the_base_names_its_files_and_pods_are_found():
    base = yaml.safe_load((DEPLOY / "kubernetes/base/kustomization.yaml").read_text())["resources"]
    assert sorted(base) == sorted(file.name for file in (DEPLOY / "kubernetes/base").glob("*.yaml") if file.name != "kustomization.yaml")
    kinds = {one["kind"]: one for one in resources()}
    labels = kinds["Deployment"]["spec"]["template"]["metadata"]["labels"].items()
    for chosen in (kinds["Service"]["spec"]["selector"], kinds["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"]):
        assert chosen.items() <= labels and "app.kubernetes.io/component" in chosen, "migrations are served nothing"


def test_containers_write_nothing_and_name_files_that_are_there():
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    for name in ("one", "two", "migrate"):
        service = compose["services"][name]
        assert service["read_only"] is True and service["cap_drop"] == ["ALL"] and service["environment"]["PANDO_TRUSTED_PROXY"] == "172.31.254.2"
    assert compose["services"]["proxy"]["networks"]["default"]["ipv4_address"] == "172.31.254.2"
    named = [volume.split(":")[0] for service in compose["services"].values() for volume in service.get("volumes", []) if volume.startswith("./")]
    assert named and all((DEPLOY / place).exists() for place in named if place != "./monitoring"), named


# What stands beside the servers: HAProxy, Prometheus


HAPROXY, PROMTOOL, KUBECTL = Path("/usr/sbin/haproxy"), Path("/usr/bin/promtool"), Path("/usr/bin/kubectl")


def directives(configuration: str) -> set[tuple[str, str]]:
    """Each line with the section that it stands in, comments and the lines that are to be chosen apart."""
    found, section = set(), ""
    for line in configuration.splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if not line.startswith(" "):
            section = line.strip()
        found.add((section, " ".join(line.split())))
    return found


def test_both_proxies_have_the_same_rules():
    """What compose needs otherwise is where the servers are, and that no client has a certificate."""
    shipped, composed = (directives((DEPLOY / file).read_text()) for file in ("proxy/haproxy.cfg", "compose/haproxy.cfg"))

    def own(lines: set[tuple[str, str]]) -> set[str]:
        return {f"{section}: {' '.join(line.split()[:2])}" for section, line in lines}

    assert own(shipped - composed) == {"frontend outside: bind :443", "backend pando: server one"}
    assert own(composed - shipped) == {"resolvers docker: resolvers docker", "resolvers docker: nameserver dns", "resolvers docker: hold valid", "frontend outside: bind :8443",
                                       "backend pando: default-server resolvers", "backend pando: server one", "backend pando: server two"}


def test_the_proxy_of_compose_asks_for_patience_where_no_server_is(folder):
    """As it is shipped, but for its port, and that nobody is asked first who `one` and `two` are: as in a network whose servers are away."""
    assert HAPROXY.exists(), f"{HAPROXY} is missing: deploy/packages.sh test installs it"
    place, port, authority = Path(mkdtemp(dir=folder)), free_port(), Authority("root")
    certificate, key = authority.leaf(place, "id", "localhost")
    (place / "id.pem").write_bytes(certificate.read_bytes() + key.read_bytes())
    (place / "authority.pem").write_bytes(authority.own)
    configuration = (DEPLOY / "compose/haproxy.cfg").read_text()
    for theirs, ours in {"/etc/haproxy/": f"{place}/", "bind :8443": f"bind 127.0.0.1:{port}", "init-addr libc,none": "init-addr none"}.items():
        assert theirs in configuration
        configuration = configuration.replace(theirs, ours)
    (place / "haproxy.cfg").write_text(configuration)
    checked = run(HAPROXY, "-c", "-f", place / "haproxy.cfg")
    assert checked.returncode == 0, checked.stdout + checked.stderr

    with (place / "log").open("wb") as log, subprocess.Popen([HAPROXY, "-db", "-f", place / "haproxy.cfg"], stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT) as proxy:
        try:
            def listens() -> bool:
                assert proxy.poll() is None, (place / "log").read_text()
                with socket.socket() as one:
                    return one.connect_ex(("127.0.0.1", port)) == 0

            assert eventually(listens, every_s=0.02), (place / "log").read_text()
            answer = requests.get(f"https://localhost:{port}/", verify=str(place / "authority.pem"), timeout=10)
            inside = requests.get(f"https://localhost:{port}/metrics", verify=str(place / "authority.pem"), timeout=10)
        finally:
            proxy.terminate()

    assert (answer.status_code, answer.headers["Retry-After"], answer.headers["Cache-Control"]) == (503, "2", "no-store")
    assert answer.headers["Content-Type"] == "application/json" and answer.json()["error"] == "temporarily_unavailable"
    assert inside.status_code == 404


def test_prometheus_of_compose_reads_its_configuration(folder):
    """With the paths that its container has, which are what compose.yaml mounts there."""
    assert PROMTOOL.exists(), f"{PROMTOOL} is missing: deploy/packages.sh test installs it"
    place = Path(mkdtemp(dir=folder))
    mounted = dict(volume.split(":")[1::-1] for volume in yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]["prometheus"]["volumes"])
    assert (mounted["/etc/prometheus/prometheus.yml"], mounted["/etc/prometheus/pando"]) == ("./compose/prometheus.yml", "./monitoring")
    (place / "token").write_text("a token\n")
    configuration = (DEPLOY / "compose/prometheus.yml").read_text()
    for theirs, ours in {"/etc/prometheus/pando/": f"{DEPLOY}/monitoring/", "/run/secrets/metrics_token": f"{place}/token"}.items():
        assert theirs in configuration
        configuration = configuration.replace(theirs, ours)
    (place / "prometheus.yml").write_text(configuration)

    checked = run(PROMTOOL, "check", "config", place / "prometheus.yml")

    assert checked.returncode == 0 and "rules found" in checked.stdout, checked.stdout + checked.stderr


@pytest.mark.skipif(not KUBECTL.exists(), reason="kubectl is no package of Debian 12: where somebody put one, it renders what is shipped")
@pytest.mark.parametrize("overlay", ["base", "overlays/example"])
def test_kustomize_renders_what_is_shipped(overlay, folder):
    place = Path(mkdtemp(dir=folder)) / "kubernetes"
    shutil.copytree(DEPLOY / "kubernetes", place)
    for secret in ("master.key", "conninfo"):
        (place / "overlays/example" / secret).write_text("a secret")

    rendered = run(KUBECTL, "kustomize", place / overlay)

    assert rendered.returncode == 0 and not rendered.stderr, rendered.stderr
    known = {(one["kind"], one["metadata"]["name"]): one for one in yaml.safe_load_all(rendered.stdout)}
    assert {("Deployment", "pando"), ("Service", "pando")} <= set(known)
    if overlay == "base":
        return
    assert {one["metadata"].get("namespace") for (kind, _), one in known.items() if kind != "Namespace"} == {"pando"}
    assert ("Job", "pando-migrate-0-1-0") in known and ("Secret", "pando-master-key") in known
    # What pods name is there under that name: kustomize has put a hash behind some, wherever it found them named.
    names, named = {name for kind, name in known if kind in ("ConfigMap", "Secret")}, set()
    for kind, name in known:
        if kind in ("Deployment", "Job"):
            text = json.dumps(known[kind, name]["spec"])
            named |= set(re.findall(r'"(?:secretName|configMapRef|secretRef|secretKeyRef)": (?:{[^}]*"name": )?"([^"]+)"', text))
            assert "registry.example.org/pando:0.1.0" in text
    assert named and named == names


@pytest.mark.skipif(not KUBECTL.exists(), reason="kubectl is no package of Debian 12")
def test_metrics_are_opened_to_who_has_the_token(folder):
    place = Path(mkdtemp(dir=folder)) / "kubernetes"
    shutil.copytree(DEPLOY / "kubernetes", place)
    (place / "mine").mkdir()
    (place / "mine/metrics.token").write_text("a token")
    (place / "mine/kustomization.yaml").write_text("resources: [../base]\ncomponents: [../components/metrics]\nsecretGenerator: [{name: pando-metrics, files: [metrics.token]}]\n")

    rendered = run(KUBECTL, "kustomize", place / "mine")

    assert rendered.returncode == 0, rendered.stderr
    known = {one["kind"]: one for one in yaml.safe_load_all(rendered.stdout)}
    pod = known["Deployment"]["spec"]["template"]["spec"]
    assert {"name": "PANDO_METRICS_TOKEN_FILE", "value": "/run/secrets/pando-metrics/metrics.token"} in pod["containers"][0]["env"]
    assert known["Secret"]["metadata"]["name"] in {volume.get("secret", {}).get("secretName") for volume in pod["volumes"]}
    assert known["NetworkPolicy"]["spec"]["ingress"][1]["ports"] == [{"port": "metrics"}]


# Migrations on large tables


def test_a_migration_is_measured_as_it_will_run(folder):
    """In one transaction, or by itself where the file says so; beside it each large table has one who reads and one who writes, by values that are all filled in."""
    specification = importlib.util.spec_from_file_location("migration_locks", DEPLOY / "migration-locks.py")
    locks = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(locks)
    place, alone = Path(mkdtemp(dir=folder)), "-- What for.\n-- pando: no transaction\ncreate index concurrently one on account (created_at);\n"
    (place / "0001_one.sql").write_text(alone)
    (place / "0002_two.sql").write_text(alone.replace("pando: no transaction", "with a word on pando: no transaction"))
    marked = re.search(r'static let mark = "([^"]+)"', (CHECKOUT / "Sources/Database/MigrationFile.swift").read_text()).group(1)

    assert locks.ALONE == marked and locks.script(place / "0001_one.sql") == alone
    assert re.fullmatch(r"begin;\n.*\n;commit", locks.script(place / "0002_two.sql"), re.DOTALL)
    assert set(locks.READS) == set(locks.WRITES) == set(locks.FILLS)
    for load in locks.LOADS.values():
        assert not [text for text in load.values() if re.search(r"[{}\n]", locks.statement(text, 10))]
