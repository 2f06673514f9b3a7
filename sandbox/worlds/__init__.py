"""Consoles that tickets are worked in; each package here registers itself when imported."""
