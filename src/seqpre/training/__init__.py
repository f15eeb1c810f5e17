"""Training: the loop, and what it is told, reads, minimises and leaves behind."""
