"""Where ragraphs meets other programs: bound graphs, tools, retrievers."""
