"""The commands of `ragraphs evaluate`."""

from . import experiments as experiments
from . import measures as measures  # each module adds its commands to the group
from .group import evaluate as evaluate
