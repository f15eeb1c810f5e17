"""The cost of a study, computed from its declaration before anything runs. No module here imports torch."""
