"""States of the graphs, and the records that travel in them."""
