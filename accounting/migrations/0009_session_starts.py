"""When sessions started, with what is asked beside it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounting", "0008_watched_folders")]

    operations = [
        migrations.RemoveIndex(model_name="sessiontotal", name="sessiontotal_by_start"),
        migrations.AddIndex(
            model_name="sessiontotal",
            index=models.Index(
                fields=["organization", "started_at"],
                include=("purpose", "session_id"),
                name="sessiontotal_by_start",
            ),
        ),
    ]
