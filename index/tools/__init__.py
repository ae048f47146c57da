"""Short look-ups of an index, the same for agents, for programs and for the method agent."""

from .passages import list_documents as list_documents
from .passages import read as read
from .passages import search_meaning as search_meaning
from .passages import search_words as search_words
from .structure import look_up as look_up
from .structure import report as report
from .structure import walk as walk
from .tool import TOOLS as TOOLS
from .tool import FromJson as FromJson
from .tool import ReadingTool as ReadingTool
from .tool import ToolPart as ToolPart
from .tool import ToolResult as ToolResult
from .tool import cut as cut
from .tool import text_of as text_of
from .tool import usable_tools as usable_tools
