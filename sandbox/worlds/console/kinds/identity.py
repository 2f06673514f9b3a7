"""Identity: users and their access keys."""

from sandbox.contracts.tasks import Risk
from sandbox.worlds.console.declare import Field, Kind, Quota, Slow, Tab, Verb, WizardStep
from sandbox.worlds.console.kinds.shared import ACTIVITY, NAME, delete, edit

USER = Kind(
    name="user",
    title="User",
    plural="Users",
    group="Identity",
    prefix="u",
    summary="Who may use this console",
    fields=(
        NAME,
        Field(name="email", title="E-mail", check="email"),
        Field(
            name="role", title="Role", type="choice", choices=("viewer", "editor", "billing", "admin"), default="viewer"
        ),
        Field(name="team", title="Team", max_length=40, required=False),
    ),
    columns=("name", "state", "email", "role"),
    filters=("state", "role"),
    create_title="Invite user",
    create_risk=Risk.CREDENTIAL,
    created="was invited",
    wizard=(WizardStep(title="User", fields=("name", "email", "role", "team")),),
    tabs=(
        Tab(name="overview", title="Overview", fields=("state", "email", "role", "team")),
        Tab(name="keys", title="Access keys", rows_of="access_key"),
        ACTIVITY,
    ),
    states=("active", "suspended"),
    verbs=(
        edit("role", title="Change role", name="change_role", risk=Risk.CREDENTIAL),
        Verb(
            name="suspend",
            title="Suspend",
            risk=Risk.CREDENTIAL,
            done="was suspended",
            from_states=("active",),
            slow=Slow(via="suspending", to="suspended", ticks=1),
            warning="The user is signed out everywhere.",
        ),
        Verb(
            name="reinstate",
            title="Reinstate",
            risk=Risk.CREDENTIAL,
            done="was reinstated",
            from_states=("suspended",),
            slow=Slow(via="reinstating", to="active", ticks=1),
        ),
        delete("The user and every access key are gone for good."),
    ),
    quotas=(Quota(title="users", limit=50),),
)

ACCESS_KEY = Kind(
    name="access_key",
    title="Access key",
    plural="Access keys",
    group="Identity",
    prefix="ak",
    fields=(
        Field(name="user", title="User", type="reference", references="user"),
        Field(name="purpose", title="Purpose", max_length=40),
        Field(name="key_id", title="Key ID", generated="key_id"),
        Field(name="issued", title="Issued", generated="today"),
    ),
    columns=("purpose", "state", "issued"),
    create_title="Create access key",
    create_risk=Risk.CREDENTIAL,
    wizard=(WizardStep(title="Access key", fields=("purpose",)),),
    states=("active", "inactive"),
    verbs=(
        Verb(
            name="rotate",
            title="Rotate",
            risk=Risk.CREDENTIAL,
            done="was rotated",
            from_states=("active",),
            renews=("key_id", "issued"),
            warning="Programs that use the old key stop working.",
        ),
        Verb(
            name="deactivate",
            title="Deactivate",
            risk=Risk.CREDENTIAL,
            done="was deactivated",
            from_states=("active",),
            slow=Slow(via="deactivating", to="inactive", ticks=1),
            warning="Programs that use the key stop working.",
        ),
        Verb(
            name="activate",
            title="Activate",
            risk=Risk.CREDENTIAL,
            done="was activated",
            from_states=("inactive",),
            slow=Slow(via="activating", to="active", ticks=1),
        ),
        Verb(
            name="delete",
            title="Delete",
            risk=Risk.DESTRUCTIVE,
            done="was deleted",
            from_states=("inactive",),
            deletes=True,
            warning="The key is gone for good.",
        ),
    ),
    quotas=(Quota(title="access keys of this user", limit=6, per="user"),),
    parent="user",
    label="{purpose}",
)
