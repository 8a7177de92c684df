from django.db import migrations


class Migration(migrations.Migration):
    """Bodies are zstd already: the table must not try to compress them again."""

    dependencies = [("ingest", "0001_initial")]

    operations = [
        migrations.RunSQL(
            "ALTER TABLE ingest_inboxchunk ALTER COLUMN body SET STORAGE EXTERNAL",
            migrations.RunSQL.noop,
        )
    ]
