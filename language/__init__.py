"""The form of texts: words, sentences, names, dates, and the shape of questions."""

TEXTS_KEPT = 256  # passages: several functions in turn go over all of a small index
