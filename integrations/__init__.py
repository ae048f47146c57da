"""Where ragraphs meets other programs: tools, retrievers, collections, networkx."""
