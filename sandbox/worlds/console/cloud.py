"""The simulated cloud console: every kind it has, in the order of its navigation."""

from sandbox.worlds.console.declare import Console
from sandbox.worlds.console.kinds import balancing, compute, databases, identity, monitoring, network, storage
from sandbox.worlds.console.kinds.shared import IMAGES, SIZES, ZONES
from sandbox.worlds.console.soundness import checked

__all__ = ["CLOUD", "IMAGES", "SIZES", "ZONES"]

CLOUD = checked(
    Console(
        name="cloud",
        title="Nimbus Cloud",
        kinds=(
            compute.INSTANCE,
            compute.INSTANCE_GROUP,
            compute.SSH_KEY,
            network.NETWORK,
            network.SUBNET,
            network.SECURITY_GROUP,
            network.RULE,
            network.ADDRESS,
            storage.DISK,
            storage.SNAPSHOT,
            storage.BUCKET,
            databases.DATABASE,
            databases.DATABASE_ACCOUNT,
            balancing.LOAD_BALANCER,
            balancing.LISTENER,
            balancing.POOL,
            balancing.MEMBER,
            balancing.CERTIFICATE,
            identity.USER,
            identity.ACCESS_KEY,
            monitoring.ALARM,
            monitoring.CHANNEL,
        ),
    )
)
