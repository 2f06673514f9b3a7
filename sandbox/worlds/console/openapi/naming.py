"""What resources of an API document and their objects are called."""

from sandbox.worlds.console.openapi.nodes import Map
from sandbox.worlds.console.openapi.paths import Resource
from sandbox.worlds.console.openapi.properties import Path, Property
from sandbox.worlds.console.openapi.words import open_title, singular, slug, title, words

_NAMED = (
    "name", "title", "display_name", "username", "user_name", "login", "full_name", "email", "label", "key", "slug",
    "hostname", "host", "domain", "address", "ip", "url", "path", "reference", "digest", "code", "subject",
    "group_name", "id", "uuid", "uid", "type",
)  # fmt: skip


_STEM = 34  # letters of a title that gets a number


def titles(resources: list[Resource]) -> dict[str, str]:
    """A title for each resource that no other has: its noun, with as many of the words before it as it takes."""
    found: dict[str, str] = {}
    taken = {"fact"}
    told = {resource.path: _parts(resource) for resource in resources}
    rivals: dict[str, list[list[str]]] = {}
    for parts in told.values():
        rivals.setdefault(parts[-1], []).append(parts)
    for path, parts in told.items():
        others = [each for each in rivals[parts[-1]] if each is not parts]
        fits = (n for n in range(1, len(parts) + 1) if all(each[-n:] != parts[-n:] for each in others))
        wanted = open_title(title(" ".join(parts[-next(fits, len(parts)) :])))
        stem, number = wanted[:_STEM].rstrip("0123456789 "), 1
        while slug(wanted) in taken:
            number += 1
            wanted = f"{stem} {number}"
        taken.add(slug(wanted))
        found[path] = wanted
    return found


def _parts(resource: Resource) -> list[str]:
    parts = [singular(" ".join(words(part))) for part in resource.path.split("/") if part not in ("", "{}")]
    return [part for part in parts if part] or ["thing"]


def group(resource: Resource) -> str:
    for operation in resource.operations:
        if operation.tag:
            return open_title(title(operation.tag))
    return open_title(title(next((part for part in resource.path.split("/") if part), "more")))


def naming_of(properties: list[Property], resource: Resource) -> Property | None:
    """The property by which people call such an object."""
    fits = {
        "_".join(words(p.path[0])): p
        for p in properties
        if len(p.path) == 1 and p.type in ("text", "integer", "choice")
    }
    noun = singular(slug(resource.noun))
    own = (f"{noun}_name", "name", noun, f"{noun}_id")
    for wanted in (*own[:2], *_NAMED[1:23], *own[2:], *_NAMED[23:26]):
        found = fits.get(wanted)
        if (
            found is not None
            and not found.when
            and found.type == ("text" if wanted not in ("id", *own) else found.type)
        ):
            return found if found.type != "choice" else None
    keys = ["_".join(words(key)) for key in resource.keys]
    return next(
        (p for name, p in fits.items() if (p.required and p.type == "text" and not p.when) or name in keys), None
    )


def schema_name(item: Map | None) -> str:
    return item.text("$ref").rpartition("/")[2] if item is not None else ""


_MADE_WORDS = """
id creation_time create_time created created_at creation_date date_created update_time updated updated_at
update_date last_updated modified modified_at last_modified deleted_at created_by updated_by
"""
_MADE = frozenset(_MADE_WORDS.split())


def is_made(each: Property, resource: Resource) -> bool:
    """Whether the server says it, although a body may have it, as where one schema serves for all."""
    said = "_".join(words(each.path[-1]))
    own = f"{singular(slug(resource.noun))}_id"
    return each.read_only or (not each.required and (said in _MADE or (said == own and len(each.path) == 1)))


def is_named_so(each: Property, name: Property, resource: Resource) -> bool:
    """Whether it is the name, or the name as other answers spell it."""
    spellings = ("name", f"{singular(slug(resource.noun))}_name")
    said = ["_".join(words(path[0])) for path in (each.path, name.path) if len(path) == 1]
    return each.path == name.path or (len(said) == 2 and all(one in spellings for one in said))


def is_identity(each: Property, resource: Resource, asked: set[Path]) -> bool:
    """Whether it is only the server's number of the object."""
    said = "_".join(words(each.path[-1]))
    noun = singular(slug(resource.noun))
    return (
        len(each.path) == 1 and each.path not in asked and said in ("id", "uuid", "uid", "href", "self", f"{noun}_id")
    )
