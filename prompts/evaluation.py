"""The prompts of evaluations, which no method asks; nobody answers them without a model."""
