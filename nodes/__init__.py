"""The nodes of the graphs: a folder for each graph, and the nodes that several share."""
