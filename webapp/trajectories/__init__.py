"""The dataset: accepted trajectories and frozen versions of it."""
