"""Checks of one's own parts: a retriever, a web search, a chat model, a store of vectors.

    report = ragraphs.testing.check_retriever(MyRetriever(), "Who designed the Forth Bridge?")
    print(report)
    report.require()

Each asks the part what ragraphs would ask it, in a program or in a test of yours.
"""

from .chat_model import check_chat_model as check_chat_model
from .report import PartCheck as PartCheck
from .report import PartReport as PartReport
from .searches import check_retriever as check_retriever
from .searches import check_web as check_web
from .vectors import check_vectors as check_vectors
