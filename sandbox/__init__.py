"""Environments: browsers, consoles, tasks, verifiers. Knows nothing of torch, Ray or Django."""
