"""Libraries that every trial needs, imported once before the processes of trials are forked."""

from importlib.metadata import entry_points

import chromadb  # noqa: F401
import igraph  # noqa: F401
import leidenalg  # noqa: F401

from ...algorithms.hoprag import edges  # noqa: F401
from ...graphs import index, router  # noqa: F401
from ...index import retrieval  # noqa: F401
from ...models.chat import model, openai_server  # noqa: F401
from ...offline import model as offline_model  # noqa: F401
from ...stores import catalogue, chroma, entities  # noqa: F401
from ...stores.loading import load  # noqa: F401

[command] = entry_points(group="console_scripts", name="ragraphs")
main = command.load()
