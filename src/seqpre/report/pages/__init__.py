"""Self-contained web pages: templates and the code that fills them."""
