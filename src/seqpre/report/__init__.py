"""Tables, figures and the summary, which compare our numbers with the published ones."""
