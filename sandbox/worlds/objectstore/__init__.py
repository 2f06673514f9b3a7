"""World A: the admin console of SeaweedFS, a real product, with a disposable store behind it."""

from sandbox.registry import register
from sandbox.worlds.objectstore.templates import TEMPLATES
from sandbox.worlds.objectstore.world import OBJECT_STORE, ObjectStore

register(OBJECT_STORE, ObjectStore, TEMPLATES)
