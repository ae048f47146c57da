"""What people look at: status, look-ups, drawings."""
