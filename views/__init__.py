"""Views of an index for people: status, look-ups, drawings."""
