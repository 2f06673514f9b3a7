"""The http world played over a real port: oracles through every fault, and what the verifier lets pass."""

import random
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox import sessions
from sandbox.contracts.actions import ActOutcome, Click, Select, Type, Wait
from sandbox.contracts.tasks import Outcome, Task
from sandbox.registry import find_environment
from sandbox.variants import SPLITS
from sandbox.worlds.http.desk import Desk
from sandbox.worlds.http.jobs import order_of
from sandbox.worlds.http.server import Server, send
from sandbox.worlds.http.service import Api, Fault, Service
from sandbox.worlds.http.templates import TEMPLATES
from tests.sandbox.played import Played, missed_by_oracle, passed_by_doing_nothing

IDS = [each.template.id for each in TEMPLATES]
RECIPES: tuple[dict[str, str], ...] = ({}, {"services": "many"}, {"faults": "many"}, {"faults": "none"})


@pytest.fixture(scope="module")
def desk() -> Iterator[Desk]:
    made = Desk()
    yield made
    made.close()


def drawn(template: str, seeds: range) -> list[Task]:
    return [sessions.sample(template, seed=n, split=SPLITS[n % 3], recipe=RECIPES[n % 4]) for n in seeds]


def outcomes(played: Played) -> list[str]:
    """What the log says of each request."""
    return [each.label for each in played.seen[-1].elements if each.group == "Sent"]


def ask(played: Played, method: str, target: str, body: str = "") -> None:
    """One request, written by hand."""
    names = (("Method", Select, method), ("Request path", Type, target), ("Body", Type, body))
    for name, action, text in names:
        ref = next(each.ref for each in played.seen[-1].elements if each.name == name)
        played.act(action(ref, text))
    played.act(Click(next(each.ref for each in played.seen[-1].elements if each.name == "Send")))


@pytest.mark.parametrize("template", IDS)
def test_the_oracle_scores_one_and_nothing_scores_zero(desk: Desk, template: str) -> None:
    assert missed_by_oracle(desk, drawn(template, range(4))) == []
    assert passed_by_doing_nothing(desk, drawn(template, range(4))) == []


@pytest.mark.slow
@pytest.mark.parametrize("template", IDS)
def test_the_oracle_scores_one_and_nothing_scores_zero_on_fifty_seeds(desk: Desk, template: str) -> None:
    assert missed_by_oracle(desk, drawn(template, range(50))) == []
    assert passed_by_doing_nothing(desk, drawn(template, range(50))) == []


@pytest.mark.parametrize("template", IDS)
def test_where_nothing_goes_wrong_the_oracle_takes_the_promised_way(desk: Desk, template: str) -> None:
    task = sessions.sample(template, seed=7, split="train", recipe={"faults": "none"})
    played = Played(desk, task)
    assert played.finish().outcome is Outcome.VERIFIED
    waits = [step for step in played.history if isinstance(step.action, Wait)]
    resent = outcomes(played).count("429")
    assert len(played.history) + 1 == desk.optimal_steps + len(waits) + resent
    assert (played.progress[0], played.progress[-1]) == (0.0, 1.0)
    assert desk.harm() == ()


@settings(deadline=None, max_examples=30)
@given(template=st.sampled_from(IDS), seed=st.integers(0, 5_000), steps=st.integers(0, 12))
def test_from_wherever_chance_leads_it_ends_well_or_says_that_it_cannot(
    desk: Desk, template: str, seed: int, steps: int
) -> None:
    played = Played(desk, sessions.sample(template, seed=seed, split="train"))
    played.stray(random.Random(seed), steps)
    assert (played.finish().outcome is Outcome.VERIFIED) is not played.gave_up
    assert bool(desk.harm()) is played.gave_up


@pytest.mark.parametrize("seed", range(280, 290))
def test_what_the_ticket_names_is_laid_out_once(seed: int) -> None:
    asked = sessions.sample("http/find-fact", seed=seed, split="train")
    blanks, order = sessions.parameters_of(asked), order_of(asked)
    (service,) = (each for each in order.services if each.name == blanks["service"])
    assert str(getattr(service, blanks["fact"])) == order.answer


def test_no_job_around_it_is_the_one_that_the_ticket_speaks_of() -> None:
    drawn = [sessions.sample("http/cancel-job", seed=seed, split="train") for seed in range(600)]
    counted = [[job.task for job in order_of(task).jobs].count(sessions.parameters_of(task)["task"]) for task in drawn]
    assert counted == [1] * 600


def test_a_request_that_is_refused_for_its_rate_is_sent_again_when_it_is_told_to(desk: Desk) -> None:
    played = Played(desk, sessions.sample("http/scale-many", seed=1, split="train"))
    assert played.finish().outcome is Outcome.VERIFIED
    assert outcomes(played) == ["200", "429", "200", "429", "200"]


def test_a_circuit_that_opened_is_waited_for(desk: Desk) -> None:
    played = Played(desk, sessions.sample("http/restart", seed=2, split="train"))
    assert played.finish().outcome is Outcome.VERIFIED
    assert outcomes(played)[:4] == ["503"] * 4
    assert outcomes(played)[-1] == "200"
    said = [element.name for seen in played.seen for element in seen.elements]
    assert "Circuit: open" in said
    assert "Error: the circuit is open" in said


def test_a_job_whose_answer_never_came_is_looked_for_before_it_is_started_again(desk: Desk) -> None:
    kinds = set()
    for seed in range(8):
        played = Played(desk, sessions.sample("http/start-job", seed=seed, split="train"))
        assert played.finish().outcome is Outcome.VERIFIED
        sent = [each.name.split()[0] for each in played.seen[-1].elements if each.group == "Sent"]
        assert sent[:2] == ["POST", "GET"]
        assert played.history[4].result.outcome is ActOutcome.TIMED_OUT
        kinds.add(sent.count("POST"))
    assert kinds == {1, 2}


def test_a_job_started_twice_is_harm_and_fails(desk: Desk) -> None:
    task = sessions.sample("http/start-job", seed=1, split="train", recipe={"faults": "none"})
    blanks = sessions.parameters_of(task)
    played = Played(desk, task)
    for _ in range(2):
        ask(played, "POST", "/jobs", f'{{"task": "{blanks["task"]}", "service": "{blanks["service"]}"}}')
    assert desk.harm() == ("job.start",)
    assert desk.verify("").outcome is Outcome.FAILED
    assert desk.progress() == 0.0


@pytest.mark.parametrize(
    ("method", "target", "body", "status"),
    [
        ("GET", "/nowhere", "", "404"),
        ("GET", "/services/nobody", "", "404"),
        ("GET", "/services?page=x", "", "400"),
        ("PATCH", "/services", "", "405"),
        ("PATCH", "/services/nobody", "{", "400"),
        ("PATCH", "/services/nobody", "[]", "400"),
        ("POST", "/jobs", '{"task": "x y"}', "422"),
        ("POST", "/jobs", "", "422"),
    ],
)
def test_bad_requests_are_answered_by_their_status(
    desk: Desk, method: str, target: str, body: str, status: str
) -> None:
    played = Played(desk, sessions.sample("http/scale", seed=1, split="train", recipe={"faults": "none"}))
    ask(played, method, target, body)
    assert outcomes(played) == [status]
    assert any(each.name.startswith("Error: ") for each in played.seen[-1].elements)


@pytest.mark.parametrize("target", ["services", "/a b", "/ü"])
def test_what_is_no_path_is_not_sent(desk: Desk, target: str) -> None:
    played = Played(desk, sessions.sample("http/scale", seed=1, split="train"))
    ask(played, "GET", target)
    assert played.history[-1].result.outcome is ActOutcome.NO_EFFECT
    assert outcomes(played) == []


def test_the_same_task_shows_the_same(desk: Desk) -> None:
    task = sessions.sample("http/cancel-job", seed=3, split="test")
    first = desk.reset(task)
    one = Played(desk, task)
    one.finish()
    two = Played(desk, task)
    two.finish()
    assert one.seen == two.seen
    assert two.seen[0] == first


def test_the_server_is_real_and_gone_when_it_is_closed() -> None:
    fault = Fault("lost", "GET", "/services/a", count=1)
    server = Server(Api((Service("a", "t", "v1.0.0", 1),), (), (fault,), 1))
    assert [send(server.port, "GET", "/services/a", "").status for _ in range(2)] == [0, 200]
    assert send(server.port, "BREW", "/pot of tea".replace(" ", "%20"), "").status == 404
    server.close()
    server.close()
    assert send(server.port, "GET", "/services/a", "").status == 0
    assert not server._thread.is_alive()


def test_it_is_for_practice_and_has_no_browser() -> None:
    assert find_environment("http").environment.practice
    assert "http" not in [each.id for each in sessions.environments()]


def test_a_service_is_not_its_own_source(desk: Desk) -> None:
    with pytest.raises(sessions.BadParameters, match="service: Name another service than the source"):
        desk.reset(sessions.bind("http/copy-image", {"source": "cart-10", "service": "cart-10"}, seed=1))
