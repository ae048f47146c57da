"""Commands that prepare and check a release; not part of the wheel."""
