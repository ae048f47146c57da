"""Commands that measure the package itself."""
