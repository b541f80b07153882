CREATE TABLE run_index (          -- which runs the two tables below know, and as of when
  run_id INTEGER PRIMARY KEY REFERENCES runs(id),
  upto_seq INTEGER NOT NULL,      -- last event that was read
  ended_us INTEGER,               -- runs.ended_us as it was then
  fallbacks INTEGER NOT NULL,
  replans INTEGER NOT NULL,
  tokens INTEGER NOT NULL
);

CREATE TABLE run_facts (          -- fields with several values per run
  kind TEXT NOT NULL,             -- "api", "toolkit", "error"
  value TEXT NOT NULL,            -- id, title or name, case folded
  run_id INTEGER NOT NULL,
  PRIMARY KEY (kind, value, run_id)
) WITHOUT ROWID;
CREATE INDEX run_facts_by_run ON run_facts(run_id);

CREATE VIRTUAL TABLE runs_fts USING fts5(
  query, answer, titles, errors, arguments, results,
  tokenize = 'porter unicode61 remove_diacritics 2',
  prefix = '3 4'
)
