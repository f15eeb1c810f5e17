"""The models, one family a file; each reads like its paper."""
