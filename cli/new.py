"""Writing a starter project: `ragraphs new DIR`."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from ..state.errors import RagraphsError

# The wheel takes no file whose name begins with a dot, and no Python file that is no module.
FILES = {
    "agent.template": "agent.py",
    "langgraph.template": "langgraph.json",
    "env.template": ".env.example",
    "requirements.template": "requirements.txt",
    "gitignore.template": ".gitignore",
    "dockerignore.template": ".dockerignore",
    "dockerfile.template": "Dockerfile",
    "readme.template": "README.md",
    "example.template": "documents/how-it-works.md",
}


def write_project(folder: Path) -> list[str]:
    """Writes the starter project into ``folder``; returns the files in it, by name.

    ``.env`` is a copy of ``.env.example``, so that everything runs at once. Raises RagraphsError
    where the folder holds anything.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise RagraphsError(f"{folder} is not empty; name a new folder.")
    templates = resources.files(__package__) / "starter"
    texts = {
        name: (templates / template).read_text(encoding="utf-8") for template, name in FILES.items()
    }
    texts[".env"] = texts[".env.example"]
    try:
        for name, text in texts.items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise RagraphsError(f"{folder} cannot be written ({error.strerror}).") from error
    return sorted(texts)
