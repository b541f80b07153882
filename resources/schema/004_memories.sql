CREATE TABLE memories (           -- what strategies keep between runs; every version stays
  name TEXT NOT NULL,
  version INTEGER NOT NULL,       -- 1, 2, ... per name
  run_id INTEGER REFERENCES runs(id),  -- NULL: a person went back to an earlier version
  made_us INTEGER NOT NULL,
  value TEXT NOT NULL,            -- JSON
  PRIMARY KEY (name, version)
) WITHOUT ROWID;
