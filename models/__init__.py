"""What answers: language models, the offline reader, embeddings, web search."""
