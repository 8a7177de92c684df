import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounting", "0002_prices_that_follow"),
    ]

    operations = [
        migrations.CreateModel(
            name="EventRevision",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("import_id", models.BigIntegerField()),
                ("dedupe_key", models.BinaryField(max_length=16)),
                ("month", models.DateField()),
                ("price_version", models.BigIntegerField()),
                ("former", models.JSONField()),
                (
                    "organization",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        to="accounting.organization",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["organization", "dedupe_key", "month"],
                        name="eventrevision_of_an_event",
                    ),
                    models.Index(
                        fields=["organization", "import_id"], name="eventrevision_of_an_import"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="AggregateRevision",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("import_id", models.BigIntegerField()),
                ("fingerprint", models.BinaryField(max_length=16)),
                ("former", models.JSONField()),
                (
                    "organization",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        to="accounting.organization",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["organization", "import_id"],
                        name="aggregaterevision_of_an_import",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ImportOverlap",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("earlier_import_id", models.BigIntegerField()),
                ("later_import_id", models.BigIntegerField()),
                (
                    "organization",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        to="accounting.organization",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "earlier_import_id", "later_import_id"),
                        name="importoverlap_is_noted_once",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("earlier_import_id", models.F("later_import_id")), _negated=True
                        ),
                        name="importoverlap_is_of_two_imports",
                    ),
                ],
                "indexes": [
                    models.Index(
                        fields=["organization", "later_import_id"],
                        name="importoverlap_of_the_later",
                    ),
                ],
            },
        ),
        migrations.AddField("import", "undone_at", models.DateTimeField(null=True)),
        migrations.AddField("import", "earliest_at", models.DateTimeField(null=True)),
        migrations.AddField("import", "latest_at", models.DateTimeField(null=True)),
        migrations.AddField(
            "run",
            "source_import",
            models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="runs",
                to="accounting.import",
            ),
        ),
        migrations.AddIndex(
            "usageevent",
            models.Index(
                condition=models.Q(("run_id__isnull", False)),
                fields=["organization", "run_id"],
                name="usageevent_run",
            ),
        ),
    ]
