"""Who may do what: people by their role, API keys by their scopes."""

from collections.abc import Collection, Mapping

#: What can be changed -> the roles that may; a viewer may only look.
MAY: Mapping[str, frozenset[str]] = {
    "data": frozenset({"owner", "analyst", "finance"}),
    "prices": frozenset({"owner", "analyst", "finance"}),
    "months": frozenset({"owner", "finance"}),
    "keys": frozenset({"owner", "analyst"}),
    "settings": frozenset({"owner", "analyst", "finance"}),
}
READING = frozenset({"read", "admin"})
PUSHING = frozenset({"ingest"})


def may(role: str, what: str) -> bool:
    """Whether a person of this role may change something. what: a name of MAY."""
    return role in MAY[what]


def allows(scopes: Collection[str], wanted: frozenset[str]) -> bool:
    """Whether a key's scopes open a door. wanted: READING or PUSHING; one of them is enough."""
    return not wanted.isdisjoint(scopes)
