"""The models, one family in each file; each follows its paper."""
