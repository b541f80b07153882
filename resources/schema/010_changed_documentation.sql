CREATE TABLE changed_documentation (  -- of APIs that a later import documents otherwise
  api_rowid INTEGER PRIMARY KEY REFERENCES apis(rowid),
  before TEXT NOT NULL,               -- JSON: the documentation that counted before
  before_hash TEXT NOT NULL,
  since_us INTEGER NOT NULL
);

CREATE TABLE accepted_documentation ( -- what people accepted; part of the curated state
  api_rowid INTEGER PRIMARY KEY REFERENCES apis(rowid),
  doc_hash TEXT NOT NULL
);

CREATE VIEW waiting_apis AS           -- neither planned with nor called until a person accepts
SELECT c.api_rowid, a.doc_hash FROM changed_documentation c
JOIN apis a ON a.rowid = c.api_rowid
LEFT JOIN accepted_documentation y ON y.api_rowid = c.api_rowid
WHERE a.doc_hash IS NOT c.before_hash AND a.doc_hash IS NOT y.doc_hash;

CREATE VIEW unusable_apis AS          -- what no plan is offered
SELECT api_rowid FROM excluded_apis UNION SELECT api_rowid FROM waiting_apis;
