"""Words that the books keep, as a reader is told them: roles, scopes, doors, sources, states and statuses."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

WORDS: dict[str, Promise] = {
    # roles
    "owner": _("owner"),
    "analyst": _("analyst"),
    "finance": _("finance"),
    "viewer": _("viewer"),
    # what a key may do
    "ingest": _("send usage"),
    "read": _("read usage and prices"),
    # how an import came
    "push": _("push"),
    "upload": _("upload"),
    "command": _("command"),
    "watch": _("watched folder"),
    "demo": _("sample data"),
    # where a price or a rate comes from
    "page": _("entered on this site"),
    # how a request ended
    "ok": _("answered"),
    "error": _("failed"),
    "cancelled": _("cancelled"),
    "pending": _("still running"),
    # what is known of its cost
    "priced": _("priced"),
    "partial": _("priced in part"),
    "assumed": _("priced by assumption"),
    "unpriced": _("unpriced"),
    "free": _("free"),
    "not_billable": _("not billed"),
}


def in_words(word: str) -> Promise | str:
    """A word of the books in the reader's language; one that is not known as it is."""
    return WORDS.get(word, word)
