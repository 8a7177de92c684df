from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounting", "0006_usage_days"),
    ]

    operations = [
        migrations.AddField(
            model_name="apikey",
            name="is_limited",
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
