"""The kinds of the simulated cloud console, a file for each part of it."""
