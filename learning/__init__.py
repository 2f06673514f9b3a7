"""Policies and how they are trained, judged and exported. Knows nothing of Django."""
