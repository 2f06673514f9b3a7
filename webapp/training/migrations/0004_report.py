from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('training', '0003_kinds_and_evaluations'),
    ]

    operations = [
        migrations.AddField(
            model_name='evaluation',
            name='report',
            field=models.CharField(blank=True, db_default='', max_length=64),
        ),
        migrations.RunSQL(
            sql="UPDATE training_evaluation SET report = 'evaluations/' || id WHERE state = 'completed'",
            reverse_sql=migrations.RunSQL.noop,
        ),
    ]
