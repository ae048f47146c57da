"""The examples for Docker Compose and Kubernetes can be parsed, and name what there is."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from doc_pages import ROOT
from kubernetes import client as kubernetes
from ragraphs import IndexContext, index_graph
from ragraphs.server.alone import app
from ragraphs.server.keys import make_key
from ragraphs.settings import Settings
from tool_server import serving_questions

FOLDER = ROOT / "examples" / "compose"
TEXT = (FOLDER / "compose.yaml").read_text(encoding="utf-8")
EXAMPLE = (FOLDER / ".env.example").read_text(encoding="utf-8")
SERVICES = yaml.safe_load(TEXT)["services"]
MANIFESTS = list(yaml.safe_load_all((ROOT / "examples/kubernetes/ragraphs.yaml").read_text()))
SETTINGS = {f"RAGRAPHS_{name}".upper() for name in Settings.model_fields}
APIS = {"v1": "V1", "apps/v1": "V1", "batch/v1": "V1", "policy/v1": "V1"}


def test_the_store_two_servers_a_balancer_and_a_ray_head_are_there():
    assert {"postgres", "server", "balancer", "ray-head", "index", "backup"} == set(SERVICES)
    assert SERVICES["server"]["deploy"]["replicas"] == 2


def test_only_the_balancer_can_be_reached_from_outside():
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["balancer"]


def test_every_variable_is_in_the_example_of_the_environment():
    named = set(re.findall(r"\$\{(\w+)", TEXT))
    assert named == named & set(re.findall(r"^(\w+)=", EXAMPLE, re.MULTILINE))


def test_the_settings_of_the_package_are_called_so():
    named = [service.get("environment", {}) for service in SERVICES.values()]
    named += [one["data"] for one in MANIFESTS if one["kind"] == "ConfigMap"]
    assert {name for one in named for name in one if name.startswith("RAGRAPHS_")} <= SETTINGS


def test_every_service_that_is_waited_for_is_there_and_tells_its_health():
    for service in SERVICES.values():
        waited = service.get("depends_on", ())
        assert set(waited) <= set(SERVICES)
        for name in waited if isinstance(waited, dict) else ():
            assert SERVICES[name]["healthcheck"]["test"]


def test_what_serves_is_started_again_and_asks_for_keys():
    served = [service for service in SERVICES.values() if "profiles" not in service]
    assert {service["restart"] for service in served} == {"unless-stopped"}
    assert "--keys" in SERVICES["server"]["command"] and SERVICES["server"]["user"]


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda one: one["kind"])
def test_a_manifest_is_of_its_schema(manifest):
    kind = APIS[manifest["apiVersion"]] + manifest["kind"]
    assert list(unknown(manifest, kind)) == []


def unknown(value: Any, kind: str) -> Iterator[str]:
    """The fields of ``value`` that Kubernetes' type ``kind`` has not, or would not take."""
    if found := re.fullmatch(r"(?:List\[|Dict\[str, )(.*)\]", kind):
        parts = value.values() if isinstance(value, dict) else value
        assert isinstance(value, dict if kind.startswith("Dict") else list), (kind, value)
        for part in parts:
            yield from unknown(part, found[1])
        return
    plain = {"str": str, "int": int, "bool": bool, "object": object}
    if kind in plain:
        if not isinstance(value, plain[kind]):
            yield f"{kind}: {value}"
        return
    known = getattr(kubernetes, kind)
    names = {there: here for here, there in known.attribute_map.items()}
    for name, part in value.items():
        if name not in names:
            yield f"{kind}.{name}"
        else:
            yield from unknown(part, known.openapi_types[names[name]])
    known(**{names[name]: part for name, part in value.items() if name in names})  # what it lacks


def containers() -> Iterator[tuple[str, dict[str, Any]]]:
    for manifest in MANIFESTS:
        spec = manifest.get("spec", {})
        for template in (spec.get("template"), spec.get("jobTemplate", {}).get("spec", {})):
            pod = (template or {}).get("template", template or {}).get("spec", {})
            for container in pod.get("containers", ()):
                yield manifest["kind"], {**container, "pod": pod}


def test_containers_have_no_rights_and_mount_what_there_is():
    found = list(containers())
    assert [kind for kind, _ in found] == ["Deployment", "CronJob"]
    for _, container in found:
        pod = container["pod"]
        assert pod["securityContext"]["runAsNonRoot"] is True
        volumes = {volume["name"] for volume in pod["volumes"]}
        assert {mount["name"] for mount in container["volumeMounts"]} <= volumes


def test_probes_ask_routes_that_there_are():
    (_, server), *_ = containers()
    paths = {route.path for route in app.routes}
    probes = [server[f"{name}Probe"]["httpGet"] for name in ("startup", "liveness", "readiness")]
    assert {probe["path"] for probe in probes} <= paths
    assert {probe["port"] for probe in probes} == {server["ports"][0]["name"]}
    assert server["command"] == shlex.split(SERVICES["server"]["command"])


@pytest.mark.slow
def test_the_commands_of_the_server_and_of_its_health_run_without_a_container(tmp_path: Path):
    context = IndexContext(index=str(tmp_path / "documents"), embeddings="lexical")
    documents = [{"id": "a", "text": "Ada wrote it."}]
    index_graph.invoke({"documents": documents}, context=context)
    key = make_key(tmp_path / "keys.json", "ada", indexes=["documents"])
    _, _, *options = shlex.split(SERVICES["server"]["command"])
    given = [one.replace("/keys/", "") for one in options]
    port = given.index("--port")
    del given[port : port + 2]
    environment = {"RAGRAPHS_INDEX": "documents", "RAGRAPHS_HOSTS": "localhost"}
    with serving_questions(tmp_path, *given, **environment) as url:
        _, python, *code = SERVICES["server"]["healthcheck"]["test"]
        assert python == "python"
        code[1] = code[1].replace("http://127.0.0.1:8000", url).replace("timeout=5", "timeout=60")
        # The first look may come before the stores are open, as in the time to start of the file.
        seconds = int(SERVICES["server"]["healthcheck"]["start_period"].removesuffix("s"))
        end = time.monotonic() + seconds
        while subprocess.run([sys.executable, *code], timeout=120, check=False).returncode != 0:
            assert time.monotonic() < end
            time.sleep(1)
        head = {"Authorization": f"Bearer {key}"}
        answer = httpx.post(f"{url}/ask", json={"question": "Who?"}, headers=head, timeout=120)
        assert answer.status_code == 200
    log = (tmp_path / "log").read_text().splitlines()
    assert any(line.startswith('{"time"') and "/ask" in line for line in log)
