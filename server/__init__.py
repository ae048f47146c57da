"""Web application that is mounted on a LangGraph server beside its graphs."""
