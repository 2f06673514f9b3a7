"""The console's own JSON API and the S3 API: how a store is set up, and asked for the truth."""

import asyncio
import json
import re
import secrets
from collections.abc import Awaitable
from typing import Any
from urllib.parse import quote

import httpx
import urllib3
from minio import Minio
from minio.error import MinioException

from sandbox.seaweedfs import ADMIN
from sandbox.worlds.objectstore import server as serving
from sandbox.worlds.objectstore.server import ROOT, Server, StoreFailed
from sandbox.worlds.objectstore.store import Bucket, Store, User, access_key

_CSRF = re.compile(r'name="csrf_token" value="([0-9a-f]+)"')
LIMIT_S = 15.0


class Api:
    """One signed-in client of one store. Raises StoreFailed where the store refuses or is gone."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self._client = httpx.AsyncClient(base_url=f"http://{server.console}", timeout=LIMIT_S, trust_env=False)
        self._signed_in = False
        self._s3 = Minio(
            server.s3,
            ROOT,
            server.secret_key,
            secure=False,
            region="us-east-1",
            http_client=urllib3.PoolManager(timeout=LIMIT_S, retries=False),
        )

    async def close(self) -> None:
        """Let the connections go."""
        await self._client.aclose()

    async def _sign_in(self) -> None:
        form = await self._client.get("/login")
        token = _CSRF.search(form.text)
        if token is None:
            raise StoreFailed("the console's sign-in page has no form")
        filled = {"username": ADMIN, "password": self.server.password, "csrf_token": token[1]}
        answer = await self._client.post("/login", data=filled)
        if answer.headers.get("location") != "/admin":
            raise StoreFailed("the console refused the password that it was started with")
        self._signed_in = True

    async def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        """One request, answered."""
        try:
            if not self._signed_in:
                await self._sign_in()
            answer = await self._client.request(method, path, json=body)
            found: dict[str, Any] = answer.json()
        except httpx.TransportError as error:
            words = serving.last_words(self.server)
            raise StoreFailed(
                f"the object store does not answer ({type(error).__name__}). It last said:\n{words}"
            ) from error
        except json.JSONDecodeError:
            raise StoreFailed(f"{method} {path} answered {answer.status_code} and no JSON") from None
        if answer.is_error:
            raise StoreFailed(f"{method} {path} answered {answer.status_code}: {found.get('error', '')}")
        return found

    async def read(self) -> Store:
        """Everything it holds now, by the console's API."""
        buckets = await self.call("GET", "/api/s3/buckets")
        users = await self.call("GET", "/api/users")
        names = [each["username"] for each in users["users"] or () if not each["is_static"]]
        found = await asyncio.gather(*map(self._user, names))
        return Store(
            buckets={each["name"]: _bucket(each) for each in buckets["buckets"] or ()},
            users=dict(zip(names, found, strict=True)),
        )

    async def _user(self, name: str) -> User:
        found = await self.call("GET", f"/api/users/{quote(name, safe='')}")
        actions = tuple(sorted(_bare(action) for action in found["actions"] or ()))
        return User(rights=actions, keys=len(found["access_keys"] or ()))

    async def s3_buckets(self) -> list[str]:
        """The names of all buckets, by the S3 API."""
        try:
            return sorted(each.name for each in await asyncio.to_thread(self._s3.list_buckets))
        except (MinioException, urllib3.exceptions.HTTPError) as error:
            raise StoreFailed(f"the S3 API does not answer ({type(error).__name__})") from error

    async def become(self, wanted: Store) -> None:
        """Change whatever differs from `wanted`, and only that: a reset takes a few milliseconds."""
        now = await self.read()
        changes: list[Awaitable[object]] = [
            self.call("DELETE", f"/api/s3/buckets/{name}") for name in now.buckets.keys() - wanted.buckets.keys()
        ]
        changes += [
            self._make_bucket(name, bucket, now.buckets.get(name))
            for name, bucket in wanted.buckets.items()
            if now.buckets.get(name) != bucket
        ]
        await asyncio.gather(self._make_users(now, wanted), *changes)

    async def _make_users(self, now: Store, wanted: Store) -> None:
        # One after the other: the store keeps all users in one place, and writes it whole.
        for name in now.users.keys() - wanted.users.keys():
            await self.call("DELETE", f"/api/users/{quote(name, safe='')}")
        for name, user in wanted.users.items():
            if now.users.get(name) != user:
                await self._make_user(name, user, exists=name in now.users)

    async def _make_user(self, name: str, user: User, *, exists: bool) -> None:
        path = f"/api/users/{quote(name, safe='')}"
        if exists:
            await self.call("DELETE", path)
        new = {"username": name, "email": "", "actions": list(user.rights), "policy_names": [], "generate_key": False}
        await self.call("POST", "/api/users", new)
        key = {"access_key": access_key(name), "secret_key": secrets.token_urlsafe(30)}
        await self.call("POST", f"{path}/access-keys", key)

    async def _make_bucket(self, name: str, bucket: Bucket, now: Bucket | None) -> None:
        if now is not None and now.versioning != bucket.versioning:
            await self.call("DELETE", f"/api/s3/buckets/{name}")
            now = None
        quota = {"quota_enabled": bucket.quota > 0, "quota_size": bucket.quota // 1024**2, "quota_unit": "MB"}
        if now is None:
            new = {"name": name, "owner": bucket.owner, "versioning_enabled": bucket.versioning, **quota}
            await self.call("POST", "/api/s3/buckets", new)
            return
        if now.quota != bucket.quota:
            await self.call("PUT", f"/api/s3/buckets/{name}/quota", quota)
        if now.owner != bucket.owner:
            await self.call("PUT", f"/api/s3/buckets/{name}/owner", {"owner": bucket.owner})


def _bare(action: str) -> str:
    """ "Read:bucket/*" and "Read:bucket" say the same."""
    return action.removesuffix("/*")


def _bucket(found: dict[str, Any]) -> Bucket:
    return Bucket(
        quota=found["quota"] if found["quota_enabled"] else 0,
        owner=found.get("owner", ""),
        versioning=found["versioning_status"] == "Enabled",
    )
