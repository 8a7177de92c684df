import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounting", "0004_attribution_rules"),
    ]

    operations = [
        migrations.CreateModel(
            name="StoredProjection",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("scope", models.CharField(max_length=32)),
                ("conditions", models.JSONField(default=list)),
                ("purpose", models.CharField(default="usage", max_length=10)),
                ("time_zone", models.CharField(max_length=64)),
                ("metric", models.CharField(max_length=10)),
                ("currency", models.CharField(max_length=40)),
                ("period_start", models.DateField()),
                ("period_end", models.DateField()),
                ("as_of", models.DateField()),
                (
                    "made_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                ("method", models.CharField(max_length=20)),
                ("reason", models.CharField(blank=True, default="", max_length=40)),
                ("history_days", models.IntegerField()),
                ("spent", models.DecimalField()),
                ("low", models.DecimalField(null=True)),
                ("expected", models.DecimalField(null=True)),
                ("high", models.DecimalField(null=True)),
                ("deviation", models.DecimalField(null=True)),
                ("scale", models.FloatField(null=True)),
                ("actual", models.DecimalField(null=True)),
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
                        fields=(
                            "organization",
                            "scope",
                            "metric",
                            "currency",
                            "period_start",
                            "period_end",
                            "as_of",
                        ),
                        name="storedprojection_is_told_once_a_day",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("as_of__gte", models.F("period_start")),
                            ("period_end__gt", models.F("as_of")),
                        ),
                        name="storedprojection_is_made_inside_its_period",
                    ),
                ],
            },
        ),
    ]
