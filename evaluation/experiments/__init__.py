"""The papers' experiments: settings varied, parts left out, the boundary of knowledge."""
