"""Lets a site live at another time: its pages tell the days that the guide's pictures show.

Python imports a module of this name at its start where its folder is in PYTHONPATH. PICTURES_SHIFT_S is how
far the site's clock is from the true one.
"""

import os
from datetime import timedelta

from django.utils import timezone

SHIFT = timedelta(seconds=float(os.environ["PICTURES_SHIFT_S"]))
TRUE = timezone.now


def shifted():
    """The site's now."""
    return TRUE() + SHIFT


timezone.now = shifted
