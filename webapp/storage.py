"""Object storage: bytes under keys in one bucket of any S3 server."""

import io
from functools import cache
from urllib.parse import urlsplit

import urllib3
from django.conf import settings
from minio import Minio
from minio.error import S3Error


class Missing(LookupError):
    """No object under this key."""


@cache
def client() -> Minio:
    """The S3 client of this process."""
    parts = urlsplit(settings.S3_ENDPOINT_URL)
    pool = urllib3.PoolManager(
        maxsize=16, timeout=urllib3.Timeout(connect=3, read=30), retries=urllib3.Retry(total=3, backoff_factor=0.2)
    )
    return Minio(
        parts.netloc,
        access_key=settings.S3_ACCESS_KEY,
        secret_key=settings.S3_SECRET_KEY,
        secure=parts.scheme == "https",
        http_client=pool,
    )


def ensure_bucket() -> None:
    """Make the bucket where it is absent; harmless when two do it at once."""
    try:
        if not client().bucket_exists(settings.S3_BUCKET):
            client().make_bucket(settings.S3_BUCKET)
    except S3Error as problem:
        if problem.code not in {"BucketAlreadyOwnedByYou", "BucketAlreadyExists"}:
            raise


def put(key: str, content: bytes, content_type: str) -> None:
    """Store content; the same content again changes nothing."""
    client().put_object(settings.S3_BUCKET, key, io.BytesIO(content), len(content), content_type=content_type)


def get(key: str) -> bytes:
    """Content under a key. Raises Missing."""
    try:
        response = client().get_object(settings.S3_BUCKET, key)
    except S3Error as problem:
        if problem.code == "NoSuchKey":
            raise Missing(key) from problem
        raise
    try:
        return bytes(response.data)
    finally:
        response.close()
        response.release_conn()


def exists(key: str) -> bool:
    """Whether there is content under a key."""
    try:
        client().stat_object(settings.S3_BUCKET, key)
    except S3Error as problem:
        if problem.code in {"NoSuchKey", "NotFound"}:
            return False
        raise
    return True
