"""The prompts: one Markdown file each, and the reply each one must return."""
