"""What the console's own requests cost, as seen on the wire; the first rule that fits decides."""

from sandbox.contracts.tasks import Risk
from sandbox.registry import RequestRule

_ONE = "[^/?]+"
_QUERY = r"(\?.*)?"

RULES: tuple[RequestRule, ...] = tuple(
    RequestRule(method, path + _QUERY, risk)
    for method, path, risk in (
        ("POST", "/login", Risk.READ),
        ("GET", "/logout", Risk.REVERSIBLE),
        ("DELETE", "/.*", Risk.DESTRUCTIVE),
        ("POST", "/api/s3/buckets", Risk.COST),
        ("PUT", f"/api/s3/buckets/{_ONE}/(quota|owner)", Risk.REVERSIBLE),
        ("PUT", f"/api/s3/buckets/{_ONE}/lifecycle", Risk.DESTRUCTIVE),  # a rule may expire every object
        ("PUT", f"/api/s3/buckets/{_ONE}/policy", Risk.CREDENTIAL),  # it says who may read and write
        ("POST", "/api/object-store/policies/validate", Risk.READ),
        # Its pages fetch these lists of names to offer them; what one of them holds is another matter.
        ("GET", "/api/(users|groups|object-store/policies)", Risk.READ),
        ("*", "/api/(users|groups|service-accounts)(/.*)?", Risk.CREDENTIAL),
        ("*", "/api/object-store/policies(/.*)?", Risk.CREDENTIAL),
        ("POST", "/api/s3tables/(buckets|namespaces|tables)", Risk.COST),
        ("POST", "/api/files/(upload|create-folder)", Risk.REVERSIBLE),
        ("POST", "/api/files/delete.*", Risk.DESTRUCTIVE),
    )
)
