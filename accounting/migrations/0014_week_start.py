from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounting", "0013_faster_questions")]

    operations = [
        migrations.AddField(
            model_name="organization",
            name="week_start",
            field=models.SmallIntegerField(db_default=0, default=0),
        ),
        migrations.AddConstraint(
            model_name="organization",
            constraint=models.CheckConstraint(
                condition=models.Q(("week_start__range", (0, 6))),
                name="organization_weeks_begin_on_a_weekday",
            ),
        ),
    ]
