CREATE TABLE missing_apis (           -- did not come again with the last import of their source
  api_rowid INTEGER PRIMARY KEY REFERENCES apis(rowid),
  since_us INTEGER NOT NULL           -- of the first import without it
)
