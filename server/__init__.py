"""What is mounted on a LangGraph server beside its graphs."""
