"""Pure functions: no input or output, no model, no LangGraph."""
