import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounting", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            "usageevent",
            "filled_in",
            models.CharField(blank=True, default="", max_length=12),
        ),
        migrations.AddConstraint(
            "usageevent",
            models.CheckConstraint(
                condition=models.Q(
                    ("filled_in__in", ("", "cost", "cost_base", "credits", "conversions"))
                ),
                name="usageevent_filled_in_is_known",
            ),
        ),
        migrations.AddIndex(
            "usageevent",
            models.Index(
                condition=models.Q(
                    ("cost_state__in", ("unpriced", "partial")),
                    models.Q(("filled_in", ""), _negated=True),
                    _connector="OR",
                ),
                fields=["organization", "occurred_at", "dedupe_key"],
                name="usageevent_follows_prices",
            ),
        ),
        migrations.AddField(
            "costrevision",
            "old_filled_in",
            models.CharField(blank=True, default="", max_length=12),
        ),
        migrations.AddField(
            "costrevision",
            "new_filled_in",
            models.CharField(blank=True, default="", max_length=12),
        ),
        migrations.CreateModel(
            name="PriceFilling",
            fields=[
                (
                    "organization",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        serialize=False,
                        to="accounting.organization",
                    ),
                ),
                ("filled_version", models.BigIntegerField(default=0)),
                ("version", models.BigIntegerField(default=0)),
                ("cursor_at", models.DateTimeField(null=True)),
                ("cursor_key", models.BinaryField(default=b"", max_length=16)),
                ("conversions_from", models.DateTimeField(null=True)),
                ("priced", models.BigIntegerField(default=0)),
                ("followed", models.BigIntegerField(default=0)),
                (
                    "run",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="accounting.repricerun",
                    ),
                ),
            ],
            options={"abstract": False},
        ),
    ]
