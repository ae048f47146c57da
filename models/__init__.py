"""Models and services that answer: language models, embeddings, graders, web search."""
