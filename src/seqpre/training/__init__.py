"""Training: the loop, its data, objectives and optimiser, and the files it writes."""
