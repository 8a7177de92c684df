"""The columns by which rows of the ledger can be cut, for sums that are told apart by all of them."""

from django.db import models


def _text(length: int = 200) -> "models.CharField[str, str]":
    return models.CharField(max_length=length, blank=True, default="")


class Cuts(models.Model):
    """Columns named as those of the ledger, which hold the same; api_key_id is 0 for no key."""

    status = models.CharField(max_length=10)
    project_id = models.BigIntegerField()
    api_key_id = models.BigIntegerField(default=0)
    user_id = _text()
    provider = _text()
    model = _text()
    source = _text(40)
    team = _text()
    agent = _text()
    environment = _text()
    service_tier = _text(40)
    cost_center = _text(80)
    tags = models.JSONField(default=dict)

    class Meta:
        abstract = True
