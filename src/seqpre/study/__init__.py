"""Studies: settings, grids, and the strict reading of the files that declare them. No module here imports torch."""
