CREATE TABLE tool_names (              -- what an API is called where models see it as a tool
  api_id TEXT PRIMARY KEY,             -- also of APIs that are gone: nobody else gets their names
  name TEXT NOT NULL UNIQUE COLLATE NOCASE,
  given_us INTEGER NOT NULL
)
