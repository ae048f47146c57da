"""Commands that prepare and check a release."""
