"""Other systems on the same passages and questions, by the same model and embeddings."""
