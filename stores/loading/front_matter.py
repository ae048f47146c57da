"""The YAML in front of a Markdown file, read in one pass that is bounded."""

from __future__ import annotations

import yaml

_MOST_TOKENS = 2000  # some 30 microseconds each; a line with its value is four, a tag two
_MOST_OPEN = 10  # each token is looked for at each open bracket


def read_yaml(front: str) -> object:
    """The value that ``front`` states. Raises an error of any kind where it is not read."""
    loader = _Loader(front)
    try:
        return loader.get_single_data()
    finally:
        loader.dispose()


class _Loader(yaml.SafeLoader):  # type: ignore[misc] # PyYAML comes without types
    """A loader that ends with an error at the first token too many, and at an alias."""

    def fetch_more_tokens(self) -> None:
        if self.tokens_taken + len(self.tokens) > _MOST_TOKENS or self.flow_level > _MOST_OPEN:
            raise yaml.YAMLError("too long, or too deep")
        super().fetch_more_tokens()

    def fetch_alias(self) -> None:
        raise yaml.YAMLError("an alias stands for a value of any size")
