import django.db.models.deletion
from django.db import migrations, models

_CUTS = (
    "agent", "api_key_id", "cost_center", "environment", "model", "project_id", "provider", "service_tier",
    "source", "status", "tags", "team", "user_id",
)  # fmt: skip
_NAMED = {"api_key_id": "coalesce(api_key_id, 0) AS api_key_id"}


def fill(apps, schema_editor):
    """What the sessions of books that are kept already used, by everything: only requests know that."""
    by = ("organization_id", "session_id", "purpose", *_CUTS)
    schema_editor.execute(
        f"INSERT INTO accounting_sessionuse ({', '.join(by)}, parts, cuts) "
        f"SELECT *, substring(sha256(convert_to(ROW({', '.join(_CUTS)})::text, 'UTF8')) for 16) "
        f"FROM (SELECT {', '.join(_NAMED.get(name, name) for name in by)}, count(*) AS parts "
        "FROM accounting_usageevent AS e WHERE session_id <> '' "
        f"GROUP BY {', '.join(str(place + 1) for place in range(len(by)))}) AS summed"
    )


class Migration(migrations.Migration):
    dependencies = [
        ("accounting", "0017_days_of_everything"),
    ]

    operations = [
        # Its rows are made anew, so that it is made anew itself.
        migrations.DeleteModel(name="SessionUse"),
        migrations.CreateModel(
            name="SessionUse",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("session_id", models.CharField(max_length=200)),
                ("purpose", models.CharField(max_length=10)),
                ("cuts", models.BinaryField(max_length=16)),
                ("status", models.CharField(max_length=10)),
                ("project_id", models.BigIntegerField()),
                ("api_key_id", models.BigIntegerField(default=0)),
                ("user_id", models.CharField(blank=True, default="", max_length=200)),
                ("provider", models.CharField(blank=True, default="", max_length=200)),
                ("model", models.CharField(blank=True, default="", max_length=200)),
                ("source", models.CharField(blank=True, default="", max_length=40)),
                ("team", models.CharField(blank=True, default="", max_length=200)),
                ("agent", models.CharField(blank=True, default="", max_length=200)),
                ("environment", models.CharField(blank=True, default="", max_length=200)),
                ("service_tier", models.CharField(blank=True, default="", max_length=40)),
                ("cost_center", models.CharField(blank=True, default="", max_length=80)),
                ("tags", models.JSONField(default=dict)),
                ("parts", models.BigIntegerField(db_default=0, default=0)),
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
                        fields=("organization", "session_id", "purpose", "cuts"),
                        name="sessionuse_is_counted_once",
                    )
                ],
            },
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
