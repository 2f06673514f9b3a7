"""The Django project: people, tickets, sessions, datasets, training runs, rollouts."""
