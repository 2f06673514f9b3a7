"""Requests for console work, and what each environment allows without asking."""
