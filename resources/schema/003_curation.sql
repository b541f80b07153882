ALTER TABLE toolkits ADD COLUMN note TEXT NOT NULL DEFAULT '';

CREATE TABLE excluded_apis (      -- never offered to a plan; they keep their toolkit
  api_rowid INTEGER PRIMARY KEY REFERENCES apis(rowid),
  reason TEXT NOT NULL
);

CREATE TABLE api_links (          -- constraints for clustering
  a INTEGER NOT NULL REFERENCES apis(rowid),
  b INTEGER NOT NULL REFERENCES apis(rowid),
  kind TEXT NOT NULL,             -- "must" or "cannot" be in one toolkit
  PRIMARY KEY (a, b),
  CHECK (a < b)
) WITHOUT ROWID;

CREATE TABLE edits (              -- the history: a tree, its tip is the setting "history_head"
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  parent INTEGER REFERENCES edits(id),  -- the edit before it; NULL: before the first
  kind TEXT NOT NULL,             -- id of the edit's class
  label TEXT NOT NULL,            -- what it did, for people
  asked TEXT NOT NULL,            -- JSON: the edit as it was asked for
  origin TEXT NOT NULL,           -- JSON: lasso, search, rule ... that produced the set
  forward TEXT NOT NULL,          -- JSON: values after it
  inverse TEXT NOT NULL,          -- JSON: values before it
  actor TEXT NOT NULL,            -- "person", "rule", "model"
  who TEXT NOT NULL,              -- name of the person, "" if unknown
  made_us INTEGER NOT NULL
);
CREATE INDEX edits_by_parent ON edits(parent);

CREATE TABLE edit_redo (          -- which branch "redo" follows
  parent INTEGER PRIMARY KEY,     -- 0: before the first edit
  child INTEGER NOT NULL REFERENCES edits(id)
);

CREATE TABLE snapshots (          -- named points of the history
  name TEXT PRIMARY KEY,
  edit INTEGER NOT NULL,          -- 0: before the first edit
  note TEXT NOT NULL,
  made_us INTEGER NOT NULL
);

CREATE TABLE placed_apis (        -- put beside the others by rule after they were imported
  api_rowid INTEGER PRIMARY KEY REFERENCES apis(rowid),
  toolkit INTEGER REFERENCES toolkits(id),  -- the best one; NULL: none comes near
  confidence REAL NOT NULL,       -- 0 to 1
  placed_us INTEGER NOT NULL
);

CREATE TABLE proposals (          -- what a machine would change, waiting for a person
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL,             -- "clustering", "import"
  title TEXT NOT NULL,
  head INTEGER NOT NULL,          -- the edit it was made on, 0: before the first
  about TEXT NOT NULL,            -- JSON: method, options, figures
  made_us INTEGER NOT NULL,
  closed_us INTEGER
);

CREATE TABLE proposal_items (
  proposal INTEGER NOT NULL REFERENCES proposals(id),
  position INTEGER NOT NULL,
  kind TEXT NOT NULL,             -- "move", "merge", "split", "new", "retire"
  label TEXT NOT NULL,
  body TEXT NOT NULL,             -- JSON
  verdict TEXT NOT NULL DEFAULT '',     -- "accepted", "rejected" or ""
  edit INTEGER REFERENCES edits(id),
  PRIMARY KEY (proposal, position)
) WITHOUT ROWID;

CREATE TABLE verdicts (           -- what a person answered in the review queue
  key TEXT PRIMARY KEY,           -- kind and permanent ids of what was asked about
  kind TEXT NOT NULL,
  evidence TEXT NOT NULL,         -- hash: asked again only when it changes
  verdict TEXT NOT NULL,          -- "accepted", "rejected", "skipped"
  signals TEXT NOT NULL,          -- JSON: what was shown
  edit INTEGER REFERENCES edits(id),
  who TEXT NOT NULL,
  made_us INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE saved_selections (
  name TEXT PRIMARY KEY,
  origin TEXT NOT NULL,           -- JSON: how it was made
  api_rowids BLOB NOT NULL,       -- (n,) int32
  made_us INTEGER NOT NULL
)
