"""Every test runs against real servers; they are up before Django reads its settings."""

from collections.abc import Iterator

import hypothesis
import pytest

from tests import servers

# A busy machine is no fault of what is tested.
hypothesis.settings.register_profile("belay", deadline=None)
hypothesis.settings.load_profile("belay")

servers.prepare_environment()

from django.conf import settings  # noqa: E402 - the environment must be ready first
from django.db import connections  # noqa: E402

# pytest-django sets Django up once the settings have been read. It finds them here and not by its own option,
# because that one is read before this file.
assert settings.DATABASES

# A password's hash is slow on purpose; here it only costs time.
settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture(scope="session")
def django_db_modify_db_settings() -> None:
    """The test database carries the name that DATABASE_URL names, so that processes a test starts use it too."""
    database = connections.settings["default"]
    database["TEST"]["NAME"] = database["NAME"]


@pytest.fixture
def valkey() -> Iterator[None]:
    """This run's Valkey, emptied before and after."""
    servers.empty_valkey()
    yield
    servers.empty_valkey()
