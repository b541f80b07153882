-- A level above toolkits that is kept: identity, name, colour, members
CREATE TABLE regions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,  -- permanent, never used again
  name TEXT NOT NULL,
  name_author TEXT NOT NULL,
  colour INTEGER NOT NULL,        -- a number of its own; the window knows the colours
  is_pinned INTEGER NOT NULL DEFAULT 0,
  retired_us INTEGER              -- not NULL: merged or found anew; kept for undo
);

CREATE TABLE region_toolkits (
  toolkit_id INTEGER PRIMARY KEY, -- retired ones stay in theirs, so that undo brings them back
  region_id INTEGER NOT NULL REFERENCES regions(id)
)
