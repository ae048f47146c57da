"""The example for Docker Compose can be parsed, and names what there is."""

from __future__ import annotations

import re

import yaml
from doc_pages import ROOT
from ragraphs.settings import Settings

FOLDER = ROOT / "examples" / "compose"
TEXT = (FOLDER / "compose.yaml").read_text(encoding="utf-8")
EXAMPLE = (FOLDER / ".env.example").read_text(encoding="utf-8")
SERVICES = yaml.safe_load(TEXT)["services"]


def test_the_stores_two_servers_a_balancer_and_a_ray_head_are_there():
    assert {"postgres", "chroma", "server", "balancer", "ray-head", "index"} == set(SERVICES)
    assert SERVICES["server"]["deploy"]["replicas"] == 2


def test_only_the_balancer_can_be_reached_from_outside():
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["balancer"]


def test_every_variable_is_in_the_example_of_the_environment():
    named = set(re.findall(r"\$\{(\w+)", TEXT))
    assert named == named & set(re.findall(r"^(\w+)=", EXAMPLE, re.MULTILINE))


def test_the_settings_of_the_package_are_called_so():
    settings = {f"RAGRAPHS_{name}".upper() for name in Settings.model_fields}
    for service in SERVICES.values():
        own = [name for name in service.get("environment", {}) if name.startswith("RAGRAPHS_")]
        assert set(own) <= settings


def test_every_service_that_is_waited_for_is_there():
    for service in SERVICES.values():
        assert set(service.get("depends_on", ())) <= set(SERVICES)
