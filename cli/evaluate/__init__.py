"""The commands of `ragraphs evaluate`."""

from . import closed_book as closed_book  # each module adds its commands to the group
from . import experiments as experiments
from . import graders as graders
from . import make_set as make_set
from . import measures as measures
from . import training_data as training_data
from .group import evaluate as evaluate
