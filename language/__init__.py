"""The form of texts: words, sentences, names, dates, and the shape of questions."""
