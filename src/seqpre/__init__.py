"""Reference reproduction of three papers on pretraining for sequence-to-sequence learning."""
