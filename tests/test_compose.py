"""The production shape: which container can reach what."""

from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

FILE = Path(__file__).resolve().parent.parent / "docker-compose.yml"


@pytest.fixture(scope="module")
def shape() -> dict[str, Any]:
    """The file, with its anchors merged."""
    return dict(YAML(typ="safe").load(FILE.read_text()))


def with_a_way_out(shape: dict[str, Any]) -> set[str]:
    """The networks from which the world can be reached."""
    return {name for name, network in shape["networks"].items() if not network.get("internal")}


def test_a_browser_has_no_network_with_a_way_out(shape: dict[str, Any]) -> None:
    networks = set(shape["services"]["session-host"]["networks"])
    assert networks == {"inside", "browsers"}
    assert networks & with_a_way_out(shape) == set()


def test_the_egress_gateway_alone_joins_the_browsers_to_a_way_out_and_sees_no_server(shape: dict[str, Any]) -> None:
    joined = {
        name
        for name, service in shape["services"].items()
        if "browsers" in service["networks"] and set(service["networks"]) & with_a_way_out(shape)
    }
    egress = shape["services"]["egress"]
    assert joined == {"egress"}
    assert "inside" not in egress["networks"]
    assert set(egress["environment"]) == {"EGRESS_ALLOW"}
    assert shape["services"]["session-host"]["environment"]["EGRESS_VIA"] == "egress:3128"


def test_the_pages_alone_have_a_published_port(shape: dict[str, Any]) -> None:
    assert [name for name, service in shape["services"].items() if "ports" in service] == ["web"]


def test_nothing_of_ours_may_gain_privileges(shape: dict[str, Any]) -> None:
    ours = [service for service in shape["services"].values() if service["image"] == "belay:latest"]
    assert len(ours) >= 7
    assert [service for service in ours if service["cap_drop"] != ["ALL"]] == []
    assert [each for each in ours if "no-new-privileges:true" not in each["security_opt"]] == []
