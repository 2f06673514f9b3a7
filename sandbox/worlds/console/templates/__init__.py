"""The simulated cloud's templates: written by hand where a job is particular, told by the declaration where not."""
