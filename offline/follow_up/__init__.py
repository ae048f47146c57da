"""Questions of a conversation, made to stand alone."""
