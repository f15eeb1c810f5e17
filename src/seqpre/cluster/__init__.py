"""Snakemake on a cluster, and several of it in one folder."""
