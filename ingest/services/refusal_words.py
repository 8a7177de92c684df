"""Why a file was refused, in the reader's language: by the code, with the reader's own words behind."""

from django.utils.translation import get_language, gettext

from ingest.formats.codes import REFUSALS


def refusal_told(code: str, reason: str) -> str:
    """In English the reason as it is, else what the code means and the reason behind."""
    meaning = REFUSALS.get(code)
    if meaning is None or (get_language() or "en").startswith("en"):
        return reason or code
    if not reason:
        return gettext(meaning)
    words = {"meaning": gettext(meaning), "detail": reason}
    return gettext("%(meaning)s (%(detail)s)") % words
