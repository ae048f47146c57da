"""Commands that measure the package itself; not part of the wheel."""
