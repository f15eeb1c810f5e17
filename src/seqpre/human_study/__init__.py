"""The human study of Ramachandran et al. (2017): a page for raters, and the analysis of their ratings."""
