"""The one HTML page, which the front end fills."""

from functools import cache
from pathlib import Path

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_safe

# Styles are set by the component library at run time; scripts, frames and everything else come from here alone.
POLICY = (
    "default-src 'self'; img-src 'self' blob: data:; style-src 'self' 'unsafe-inline'; script-src 'self'; "
    "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; object-src 'none'"
)
_NOT_BUILT = "The front end is not built. Run `make up`, or `npm ci && npm run build` in webapp/frontend."


@require_safe
@ensure_csrf_cookie
def page(request: HttpRequest) -> HttpResponse:
    """The page for every address that is not an API call or a file."""
    # The collected copy: the files that it names are collected before it.
    path = Path(settings.STATIC_ROOT) / "index.html"
    if not path.exists():
        return HttpResponse(_NOT_BUILT, status=503, content_type="text/plain")
    response = HttpResponse(_read(path, path.stat().st_mtime_ns))
    response["Content-Security-Policy"] = POLICY
    response["Cache-Control"] = "no-cache"
    return response


@cache
def _read(path: Path, modified_ns: int) -> str:
    return path.read_text()
