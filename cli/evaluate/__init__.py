"""The commands of `ragraphs evaluate`."""

from . import claims as claims  # each module adds its commands to the group
from . import graphrag_bench as graphrag_bench
from . import measures as measures
from .group import evaluate as evaluate
