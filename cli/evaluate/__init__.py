"""The commands of `ragraphs evaluate`."""

from . import make_set as make_set  # each module adds its commands to the group
from . import measures as measures
from .group import evaluate as evaluate
