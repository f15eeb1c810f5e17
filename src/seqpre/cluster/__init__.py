"""Running Snakemake on a cluster, and several Snakemakes in one folder."""
