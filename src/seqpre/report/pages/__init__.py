"""Self-contained web pages: templates, and what fills them."""
