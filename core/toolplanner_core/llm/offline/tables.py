"""Tables of the offline planner: its rules for English questions, and those of the world.

They are data in `resources/offline/*.json`, read once. Nobody else reads them.
"""

from toolplanner_core.words.tables import tables_of

table, entries, codes, spelled, words, ordered_words, pattern, compiled = tables_of("offline")
