"""Celery entry: starting runs when they are due, working on one, and on an evaluation."""

from celery import shared_task

from webapp.training import actions, evaluations, queries
from webapp.training.models import Evaluation, TrainingRun


@shared_task
def train_when_due() -> None:
    """Queue a run where enough was accepted."""
    actions.request_run_when_due()


@shared_task
def train_daily() -> None:
    """Queue a run on whatever was accepted since the last one."""
    actions.request_run_when_due(trigger=TrainingRun.Trigger.SCHEDULE)


@shared_task
def sweep_runs() -> None:
    """Drive again runs and evaluations whose message was lost or whose worker died."""
    for job in queries.unclaimed():
        match job:
            case TrainingRun():
                actions.dispatch(job)
            case Evaluation():
                evaluations.dispatch(job)


# The row's lease decides who works on a job, not the message: acknowledged at once, so that a job longer than the
# broker's visibility timeout is not handed out twice; `sweep_runs` drives it again if the worker dies.
@shared_task(acks_late=False)
def train(run_id: int) -> None:
    """Work on one run to its end; harmless where another worker has it."""
    from webapp.training.worker import work  # only this worker pays for learning

    work(run_id)


@shared_task(acks_late=False)
def judge(evaluation_id: int) -> None:
    """Work on one evaluation to its end; harmless where another worker has it."""
    from webapp.training.judging import work  # only this worker pays for learning

    work(evaluation_id)
