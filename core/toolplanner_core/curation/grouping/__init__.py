"""From vectors to toolkits on a map: preparing, clustering, placing, regions, proposals.

Regions follow trades more than places: with places first, a third of them had no subject and held
half of the APIs; the price is that colours of regions lie more mixed on the map (of a toolkit's
ten nearest 18 in 100 are of its region instead of 28). Point sets are hashed over row ids and
texts, so that a changed text never keeps stale neighbours or places. New APIs with a measured
confidence of at least one half are put into toolkits at once, as one edit by rule that can be
undone; asking for each of thousands would make the question worthless. The others have "no home
yet".
"""
