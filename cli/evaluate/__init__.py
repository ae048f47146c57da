"""The commands of `ragraphs evaluate`."""

from . import claims as claims  # each module adds its commands to the group
from . import closed_book as closed_book
from . import curve as curve
from . import graphrag_bench as graphrag_bench
from . import judge as judge
from . import make_set as make_set
from . import measures as measures
from . import recompute as recompute
from .group import evaluate as evaluate
