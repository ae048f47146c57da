"""The commands of `ragraphs evaluate`."""

from . import measures as measures  # each module adds its commands to the group
from . import training_data as training_data
from .group import evaluate as evaluate
