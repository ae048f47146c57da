"""Every setting that a caller can change, within bounds, among what the operator allows.

Settings that only the operator may change are in ``settings``. Each graph's ``context_schema`` is a
subclass of ``Context``.
"""

from .agent import AgentContext as AgentContext
from .base import Context as Context
from .indexing import IndexContext as IndexContext
from .indexing import LayerName as LayerName
from .indexing import wants_refresh as wants_refresh
from .questions import BasicContext as BasicContext
from .questions import CragContext as CragContext
from .questions import DeepragContext as DeepragContext
from .questions import GraderName as GraderName
from .questions import GraphragContext as GraphragContext
from .questions import HopragContext as HopragContext
from .questions import QuestionContext as QuestionContext
from .questions import RankerName as RankerName
from .questions import RetrieverName as RetrieverName
from .questions import RouterContext as RouterContext
from .questions import SearchName as SearchName
from .questions import Tog2Context as Tog2Context
