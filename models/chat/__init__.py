"""Chat models over the network."""
