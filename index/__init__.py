"""An open index and its layers."""
