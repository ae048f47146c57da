"""Which names are one entity."""
