from django.db import migrations, models

_KEYS = (
    "organization_id",
    "caller",
    "purpose",
    "day",
    "status",
    "user_id",
    "api_key_id",
    "project_id",
    "currency",
)


def fill(apps, schema_editor):
    """The days of projects of books that are kept already, as the sums of their days."""
    columns = [
        field.column for field in apps.get_model("accounting", "UsageDayCaller")._meta.fields
    ]
    sums = [name for name in columns if name not in {"id", *_KEYS}]
    schema_editor.execute(
        f"INSERT INTO accounting_usagedaycaller ({', '.join((*_KEYS, *sums))}) "
        "SELECT organization_id, 'project', purpose, day, status, '', 0, project_id, currency, "
        f"{', '.join(f'sum({name})' for name in sums)} "
        "FROM accounting_usageday GROUP BY 1, 3, 4, 5, 8, 9 ORDER BY 4"
    )


class Migration(migrations.Migration):
    dependencies = [
        ("accounting", "0015_days_of_callers"),
    ]

    operations = [
        migrations.AlterField(
            model_name="usagedaycaller",
            name="caller",
            field=models.CharField(max_length=7),
        ),
        migrations.AddField(
            model_name="usagedaycaller",
            name="project_id",
            field=models.BigIntegerField(db_default=0, default=0),
        ),
        migrations.RemoveConstraint(
            model_name="usagedaycaller",
            name="usagedaycaller_is_summed_once",
        ),
        migrations.AddConstraint(
            model_name="usagedaycaller",
            constraint=models.UniqueConstraint(
                fields=(
                    "organization",
                    "caller",
                    "purpose",
                    "day",
                    "status",
                    "user_id",
                    "api_key_id",
                    "project_id",
                    "currency",
                ),
                name="usagedaycaller_is_summed_once",
            ),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
