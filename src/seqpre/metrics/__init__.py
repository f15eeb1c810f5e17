"""The papers' scorers, each equal to the official program."""
