"""What a study will cost, computed from its declaration before anything runs. No module here imports torch."""
