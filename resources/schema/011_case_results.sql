CREATE TABLE case_results (           -- how runs of cases went
  id INTEGER PRIMARY KEY,
  case_id TEXT NOT NULL,
  run_id INTEGER NOT NULL REFERENCES runs(id),
  edit INTEGER NOT NULL,              -- the edit of the history that counted last, 0 = none
  judged_by TEXT NOT NULL,            -- SHA-256 of query, options and expectations of then
  passed INTEGER NOT NULL,
  why TEXT NOT NULL,                  -- JSON: what the run did not show, one sentence each
  made_us INTEGER NOT NULL
);
CREATE INDEX case_results_by_case ON case_results(case_id, id);

CREATE TABLE run_marks (              -- what a person says of a run
  run_id INTEGER PRIMARY KEY REFERENCES runs(id),
  label TEXT NOT NULL DEFAULT '',
  note TEXT NOT NULL DEFAULT '',
  is_starred INTEGER NOT NULL DEFAULT 0,
  deleted_us INTEGER                  -- not NULL: out of all lists, until it is brought back
)
