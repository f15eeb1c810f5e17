"""Export of a trained run: a model card, and weights for other programs."""
