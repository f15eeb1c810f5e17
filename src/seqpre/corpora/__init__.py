"""From downloads to token stores: all processing of text before a model reads it."""
