"""The commands of `ragraphs evaluate`."""

from . import judge as judge  # each module adds its commands to the group
from . import measures as measures
from .group import evaluate as evaluate
