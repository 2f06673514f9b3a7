"""From the names in an API document to words for people: titles, plurals, help, and which words are dangerous."""

import re
from functools import lru_cache

from sandbox.contracts.tasks import Risk

_ACRONYMS_WORDS = """
acl api asn aws bgp cidr cpu cve dhcp dn dns dnssec fqdn gb gc gpu html http https iam id ip ipv4 ipv6 json jwt
kms ldap mac mb mtu nat nfs oidc os ptr qos ram rbac rest s3 saml sbom sla smtp snmp soa ssh ssl sso tcp tls
tsig ttl udp ui uri url uuid vlan vm vpc vpn xml yaml
"""
_ACRONYMS = frozenset(_ACRONYMS_WORDS.split())
_SECRET = re.compile(r"pass(?:word|phrase)|secret|\btoken\b|private[ _-]?key|api[ _-]?key", re.IGNORECASE)
_STAYS = ("ss", "us", "is", "news", "dns", "https", "aws", "os", "tls", "dhcp", "sms")
_TWO_OFF = ("sses", "shes", "ches", "xes", "statuses", "aliases", "buses")
_DESTRUCTIVE_WORDS = """
delete remove purge destroy wipe reset clear terminate drop erase prune empty flush
"""
_DESTRUCTIVE = frozenset(_DESTRUCTIVE_WORDS.split())
_CREDENTIAL_WORDS = """
password secret token key keys credential credentials role roles permission permissions grant revoke rotate
sysadmin admin owner access member members robot robots user users account accounts apikey login
"""
_CREDENTIAL = frozenset(_CREDENTIAL_WORDS.split())
_COSTLY_WORDS = """
buy order resize scale upgrade subscribe renew purchase
"""
_COSTLY = frozenset(_COSTLY_WORDS.split())


@lru_cache(maxsize=65536)
def words(name: str) -> tuple[str, ...]:
    """The words of an identifier: `cveAllowlistID` -> cve, allowlist, id."""
    spaced = re.sub(r"([a-z0-9])([A-Z])|([A-Z]+)([A-Z][a-z])", r"\1\3 \2\4", name)
    return tuple(word.lower() for word in re.findall(r"[A-Za-z0-9]+", spaced))


def title(name: str) -> str:
    """An identifier as a heading: `storage_limit_id` -> Storage limit ID."""
    shown = [word.upper() if word in _ACRONYMS else word for word in words(name)]
    if shown and shown[0].islower():
        shown[0] = shown[0][:1].upper() + shown[0][1:]
    return " ".join(shown)[:48].rstrip() or "Value"


@lru_cache(maxsize=65536)
def slug(name: str) -> str:
    """An identifier as a declaration wants it: lower-case letters, digits and _."""
    joined = "_".join(words(name)) or "value"
    return joined[:40].rstrip("_") if joined[0].isalpha() else f"n{joined}"[:40].rstrip("_")


def singular(word: str) -> str:
    """One of several."""
    low = word.lower()
    if low.endswith(_STAYS) or not low.endswith("s") or len(low) < 4:
        return word
    if low.endswith("ies") and len(low) > 4:
        return word[:-3] + "y"
    return word[:-2] if low.endswith(_TWO_OFF) else word[:-1]


def plural(phrase: str) -> str:
    """Several of one; the last word of a phrase."""
    low = phrase.lower()
    if low.endswith("y") and low[-2:-1] not in "aeiou":
        return phrase[:-1] + ("ies" if phrase[-1].islower() else "IES")
    if low.endswith(("s", "x", "ch", "sh")):
        return phrase + "es"
    return phrase + "s"


@lru_cache(maxsize=65536)
def noun(segment: str) -> str:
    """A segment of a path as one thing: `pet-owners` -> pet_owner."""
    return singular(slug(segment))


def same_noun(one: str, other: str) -> bool:
    """Whether two segments name the same, in singular or plural."""
    return noun(one) == noun(other)


def is_secret(name: str) -> bool:
    """Whether what is called so is a secret."""
    return bool(_SECRET.search(" ".join(words(name))))


def open_title(text: str) -> str:
    """A title for what is no secret: browsers' eyes mask what stands beside a secret's."""
    while _SECRET.search(text):
        text = _SECRET.sub("credential", text)
    return text[:1].upper() + text[1:]


def sentence(text: str, *, limit: int = 110) -> str:
    """The first sentence of a description, on one line, without markup."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    plain = re.sub(r"<[^>]{0,80}>|[`*_#|{}\\\"“”]+", " ", plain)
    plain = " ".join(re.sub(r"\be\. ?g\.,?", "such as", re.sub(r"\bi\. ?e\.,?", "that is", plain)).split())
    first = re.split(r"(?<=[a-z0-9)])\.(?:\s|$)", plain, maxsplit=1)[0]
    if len(first) > limit:
        first = first[: limit - 1].rsplit(" ", 1)[0].rstrip(",;:") + "…"
    return "" if _SECRET.search(first) else first


def risk(phrase: str, *, method: str = "POST") -> Risk:
    """What something that is called so may cost."""
    said = set(words(phrase))
    if method == "DELETE" or said & _DESTRUCTIVE:
        return Risk.DESTRUCTIVE
    if said & _CREDENTIAL:
        return Risk.CREDENTIAL
    return Risk.COST if said & _COSTLY else Risk.REVERSIBLE


def low(phrase: str) -> str:
    """A title within a sentence; acronyms stay as they are."""
    return phrase if phrase[1:2].isupper() else phrase[:1].lower() + phrase[1:]
