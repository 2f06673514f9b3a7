"""The kinds of ticket for the object store: their blanks, their words, random samples."""

import random
from collections.abc import Callable
from dataclasses import dataclass

from msgspec import structs

from sandbox.contracts.tasks import Parameter, Risk, Split, Task, Template
from sandbox.registry import Oracle
from sandbox.worlds.objectstore import names
from sandbox.worlds.objectstore.oracles import StoreOracle
from sandbox.worlds.objectstore.store import ENVIRONMENT, UNITS

# S3's own rules for names; the console enforces only a part of them.
_BUCKET_NAME = r"(?!\d+\.\d+\.\d+\.\d+$)(?!.*[.-]{2}.*)[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]"
BUCKET = Parameter(
    name="bucket",
    title="Bucket",
    help="The bucket's name as S3 knows it.",
    pattern=_BUCKET_NAME,
    pattern_help="Use 3 to 63 lowercase letters, digits, single dots and hyphens, beginning and ending with a letter "
    "or digit; not an IP address.",
    max_length=63,
    example="billing-logs",
)
QUOTA = Parameter(
    name="quota",
    title="Quota",
    kind="integer",
    help="The most that the bucket may hold, in whole units.",
    minimum=1,
    maximum=1_000_000,
    example="20",
)
# Who asks for more room seldom knows what the console calls it: neither this name nor the words of the template that
# uses it stand on any button, so a policy that matches words does not find the way; it has to be shown.
LIMIT = structs.replace(
    QUOTA, name="limit", title="Limit", help="The most that the bucket may hold from now on, in whole units."
)
UNIT = Parameter(name="unit", title="Unit", kind="choice", help="What the number counts.", choices=tuple(UNITS))
USER = Parameter(
    name="user",
    title="User",
    help="The user's name as it signs S3 requests.",
    pattern=r"[a-z][a-z0-9]*([._-][a-z0-9]+)*",
    pattern_help="Begin with a lowercase letter; then lowercase letters and digits, with single dots, hyphens or "
    "underscores between them.",
    max_length=40,
    example="anna.keller",
)
RIGHTS = Parameter(
    name="rights",
    title="Rights",
    kind="choice",
    help="What the user may do in this bucket, and in no other.",
    choices=names.RIGHTS,
)
FACT = Parameter(name="fact", title="Fact", kind="choice", help="What to find out.", choices=names.FACTS)

Draw = Callable[[random.Random, Split], dict[str, str]]


def _bucket_and_quota(chance: random.Random, split: Split) -> dict[str, str]:
    quota, unit = names.quota(chance, split)
    return {"bucket": names.bucket(chance, split), "quota": quota, "unit": unit}


def _bucket_and_limit(chance: random.Random, split: Split) -> dict[str, str]:
    limit, unit = names.quota(chance, split)
    return {"bucket": names.bucket(chance, split), "limit": limit, "unit": unit}


def _bucket(chance: random.Random, split: Split) -> dict[str, str]:
    return {"bucket": names.bucket(chance, split)}


def _user_and_bucket(chance: random.Random, split: Split) -> dict[str, str]:
    user, rights = names.user(chance, split), chance.choice(names.RIGHTS)
    return {"user": user, "bucket": names.bucket(chance, split), "rights": rights}


def _user(chance: random.Random, split: Split) -> dict[str, str]:
    return {"user": names.user(chance, split)}


def _bucket_and_fact(chance: random.Random, split: Split) -> dict[str, str]:
    return {"bucket": names.bucket(chance, split), "fact": chance.choice(names.FACTS)}


@dataclass
class StoreTemplate:
    """A template with how to draw its blanks."""

    template: Template
    draw: Draw

    def sample(self, seed: int, split: Split) -> dict[str, str]:
        """Random blanks; the same seed draws the same."""
        chance = random.Random(f"sample:{self.template.id}:{split}:{seed}")  # noqa: S311  # has to be repeatable
        return self.draw(chance, split)

    def oracle(self, task: Task) -> Oracle:
        """Who knows how."""
        return StoreOracle(task.template)


TEMPLATES = (
    StoreTemplate(
        Template(
            id=f"{ENVIRONMENT}/create-bucket",
            environment=ENVIRONMENT,
            title="Create a bucket with a quota",
            summary="Makes a new bucket that may hold at most the given amount.",
            parameters=(BUCKET, QUOTA, UNIT),
            phrases=(
                "Create the bucket {bucket} with a quota of {quota} {unit}.",
                "We need a new bucket called {bucket}, limited to {quota} {unit}.",
                "Please set up bucket {bucket} with {quota} {unit} of quota.",
                "Make a bucket named {bucket}; it may hold {quota} {unit} at most.",
            ),
            risk=Risk.COST,
            max_steps=30,
        ),
        _bucket_and_quota,
    ),
    StoreTemplate(
        Template(
            id=f"{ENVIRONMENT}/change-quota",
            environment=ENVIRONMENT,
            title="Change a bucket's quota",
            summary="Gives an existing bucket another quota, or its first.",
            parameters=(BUCKET, LIMIT, UNIT),
            phrases=(
                "{bucket} may grow to {limit} {unit}.",
                "Let {bucket} hold up to {limit} {unit}.",
                "The limit of the bucket {bucket} has to become {limit} {unit}.",
                "Please cap {bucket} at {limit} {unit}.",
                "{bucket} must not take more than {limit} {unit} from now on.",
            ),
            risk=Risk.REVERSIBLE,
            max_steps=30,
        ),
        _bucket_and_limit,
    ),
    StoreTemplate(
        Template(
            id=f"{ENVIRONMENT}/delete-bucket",
            environment=ENVIRONMENT,
            title="Delete a bucket",
            summary="Removes a bucket with everything in it.",
            parameters=(BUCKET,),
            phrases=(
                "Delete the bucket {bucket}.",
                "The bucket {bucket} is no longer needed; remove it.",
                "Please get rid of bucket {bucket}.",
            ),
            risk=Risk.DESTRUCTIVE,
            max_steps=20,
        ),
        _bucket,
    ),
    StoreTemplate(
        Template(
            id=f"{ENVIRONMENT}/create-user",
            environment=ENVIRONMENT,
            title="Create a user with rights on a bucket",
            summary="Makes a user with one right on one bucket and an access key.",
            parameters=(USER, BUCKET, RIGHTS),
            phrases=(
                "Create the user {user} with the right {rights} on bucket {bucket}, and an access key.",
                "{user} needs {rights} on the bucket {bucket}: make a user with a key.",
                "Please add user {user} with {rights} permission for {bucket} only, access key included.",
            ),
            risk=Risk.CREDENTIAL,
            max_steps=30,
        ),
        _user_and_bucket,
    ),
    StoreTemplate(
        Template(
            id=f"{ENVIRONMENT}/remove-user",
            environment=ENVIRONMENT,
            title="Remove a user",
            summary="Removes a user and with it every access key it has.",
            parameters=(USER,),
            phrases=(
                "Remove the user {user}.",
                "{user} has left; delete this user from the object store.",
                "Please delete user {user} and their keys.",
            ),
            risk=Risk.DESTRUCTIVE,
            max_steps=20,
        ),
        _user,
    ),
    StoreTemplate(
        Template(
            id=f"{ENVIRONMENT}/find-bucket-fact",
            environment=ENVIRONMENT,
            title="Find out a fact about a bucket",
            summary="Looks up a bucket's quota, owner or versioning and answers with it.",
            parameters=(BUCKET, FACT),
            phrases=(
                "What is the {fact} of the bucket {bucket}?",
                "Find out the {fact} of bucket {bucket} and answer with it.",
                "Look up {bucket} and tell us its {fact}.",
            ),
            risk=Risk.READ,
            answers=True,
            max_steps=15,
        ),
        _bucket_and_fact,
    ),
)
