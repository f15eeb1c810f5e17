"""Tables, figures and the summary that set our numbers beside the published ones."""
