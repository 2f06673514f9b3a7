from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('agent_sessions', '0002_first_step'),
    ]

    operations = [
        migrations.AddField(
            model_name='session',
            name='refusals_from',
            field=models.PositiveIntegerField(default=1),
        ),
    ]
