"""Journeys through every page in a real browser, against a real web process and a real session host."""
