"""What a trained run becomes for use elsewhere: a model card, and its weights for another program."""
