"""The version of the offline reader, which is a part of what counts as read."""

from __future__ import annotations

VERSION = "9"  # to be raised when any text is read, described or reported on otherwise
