"""The models people pay for, and the other names they go by."""

from django.db import models


class LlmModel(models.Model):
    """A model as one provider sells it; the same weights elsewhere are another model."""

    provider = models.CharField(max_length=64)
    name = models.CharField(max_length=200)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["provider", "name"], name="llmmodel_stands_once"),
        ]

    def __str__(self) -> str:
        return f"{self.provider}/{self.name}"


class ModelAlias(models.Model):
    """Another name of a model, as a source writes it after normalisation; never a pattern.

    organization NULL: from the built-in list, for everybody. provider is the provider of the record,
    which a person may map to a model of another one; nothing else ever crosses providers.
    """

    organization = models.ForeignKey(
        "accounting.Organization", on_delete=models.PROTECT, null=True, related_name="+"
    )
    provider = models.CharField(max_length=64)
    alias = models.CharField(max_length=200)
    model = models.ForeignKey(LlmModel, on_delete=models.PROTECT, related_name="+")
    added_version = models.ForeignKey(
        "accounting.PriceVersion", on_delete=models.PROTECT, related_name="+", db_index=False
    )
    superseded_version = models.ForeignKey(
        "accounting.PriceVersion",
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        db_index=False,
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "provider", "alias"],
                condition=models.Q(superseded_version=None),
                nulls_distinct=False,
                name="modelalias_means_one_model",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.provider}/{self.alias}"
