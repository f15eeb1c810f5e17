"""From downloads to token stores: everything that happens to text before a model sees it."""
