"""Training runs, their metrics and what starts them."""
