"""Pages of HTML that need no network."""
