import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounting", "0003_undo_imports"),
    ]

    operations = [
        migrations.CreateModel(
            name="AttributionRule",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("position", models.IntegerField()),
                ("api_key_name", models.CharField(blank=True, default="", max_length=200)),
                ("user_id", models.CharField(blank=True, default="", max_length=200)),
                ("team", models.CharField(blank=True, default="", max_length=200)),
                ("tag", models.CharField(blank=True, default="", max_length=200)),
                ("tag_value", models.CharField(blank=True, default="", max_length=200)),
                ("working_folder", models.CharField(blank=True, default="", max_length=1000)),
                (
                    "created_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, to="accounting.organization"
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, to="accounting.project"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        deferrable=models.Deferrable["DEFERRED"],
                        fields=("organization", "position"),
                        name="attributionrule_has_its_own_place",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("api_key_name", ""),
                            ("tag", ""),
                            ("team", ""),
                            ("user_id", ""),
                            ("working_folder", ""),
                            _negated=True,
                        ),
                        name="attributionrule_asks_something",
                    ),
                ],
            },
        ),
        migrations.AddField(
            "usageevent",
            "project_basis",
            models.CharField(blank=True, default="", max_length=10),
        ),
    ]
