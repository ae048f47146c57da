"""Libraries that every trial needs, imported once before the processes of trials are forked."""

from importlib.metadata import entry_points

import chromadb  # noqa: F401
import igraph  # noqa: F401
import langchain_openai  # noqa: F401
import leidenalg  # noqa: F401

from ...graphs import index, router  # noqa: F401
from ...models.chat import model, openai_server  # noqa: F401
from ...offline import model as offline_model  # noqa: F401

# The command line is on a floor above, so it is found by its name.
[_command] = entry_points(group="console_scripts", name="ragraphs")
main = _command.load()
