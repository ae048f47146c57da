"""The page that shows what an index holds, how a question is answered, and from what."""
