from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('training', '0004_report'),
    ]

    operations = [
        migrations.AddField(
            model_name='evaluation',
            name='furthest',
            field=models.FloatField(db_default=0.0),
        ),
        migrations.AddField(
            model_name='trainingrun',
            name='furthest',
            field=models.FloatField(db_default=0.0),
        ),
        migrations.AddField(
            model_name='evaluation',
            name='stuck',
            field=models.PositiveIntegerField(db_default=0),
        ),
        migrations.AddField(
            model_name='trainingrun',
            name='stuck',
            field=models.PositiveIntegerField(db_default=0),
        ),
    ]
