"""Libraries that every trial needs, imported once before the processes of trials are forked."""

import chromadb  # noqa: F401
import igraph  # noqa: F401
import langchain_openai  # noqa: F401
import leidenalg  # noqa: F401
from ragraphs.cli import main  # noqa: F401
from ragraphs.graphs import index, router  # noqa: F401
from ragraphs.models.chat import model, openai_server  # noqa: F401
from ragraphs.offline import model as offline_model  # noqa: F401
