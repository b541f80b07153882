"""From vectors to toolkits on a map: preparing, clustering, placing, regions, proposals."""
