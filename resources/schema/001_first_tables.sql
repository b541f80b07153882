CREATE TABLE settings (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL  -- JSON
) WITHOUT ROWID;

CREATE TABLE sources (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,      -- part of every API's permanent id
  format TEXT NOT NULL,           -- id of the source plug-in
  location TEXT NOT NULL,         -- where it was last read from
  imported_us INTEGER NOT NULL
);

CREATE TABLE tools (
  id INTEGER PRIMARY KEY,
  source_id INTEGER NOT NULL REFERENCES sources(id),
  category TEXT NOT NULL,
  key TEXT NOT NULL,              -- the catalogue's own name of the tool within its category
  title TEXT NOT NULL,
  description TEXT NOT NULL,
  UNIQUE (source_id, category, key)
);

CREATE TABLE apis (
  rowid INTEGER PRIMARY KEY,      -- the int32 that all arrays use
  id TEXT NOT NULL UNIQUE,        -- ApiId
  tool_id INTEGER NOT NULL REFERENCES tools(id),
  key TEXT NOT NULL,
  name TEXT NOT NULL,
  method TEXT NOT NULL,
  url TEXT NOT NULL,
  description TEXT NOT NULL,
  parameters TEXT NOT NULL,       -- JSON Schema
  response_schema TEXT,           -- JSON Schema or NULL
  risk TEXT NOT NULL,
  doc_hash TEXT NOT NULL,
  functionality TEXT NOT NULL,    -- the text that is embedded
  functionality_author TEXT NOT NULL,
  text_hash TEXT NOT NULL,        -- SHA-256 of functionality
  added_us INTEGER NOT NULL,
  updated_us INTEGER NOT NULL
);
CREATE INDEX apis_by_tool ON apis(tool_id);
CREATE INDEX apis_by_key ON apis(key);

CREATE TABLE import_staging (     -- new and changed APIs of an import that has not ended
  import_id TEXT NOT NULL,        -- "<process id>-<random>"; see staging.py
  position INTEGER NOT NULL,      -- 0, 1, 2 ... within the import
  id TEXT NOT NULL,               -- ApiId
  category TEXT NOT NULL,
  tool_key TEXT NOT NULL,
  tool TEXT NOT NULL,
  tool_description TEXT NOT NULL,
  key TEXT NOT NULL,
  name TEXT NOT NULL,
  method TEXT NOT NULL,
  url TEXT NOT NULL,
  description TEXT NOT NULL,
  parameters TEXT NOT NULL,
  response_schema TEXT,
  risk TEXT NOT NULL,
  doc_hash TEXT NOT NULL,
  functionality TEXT NOT NULL,
  text_hash TEXT NOT NULL,
  search_name TEXT NOT NULL,        -- what the index holds as the name
  search_parameters TEXT NOT NULL,  -- and as parameter names
  PRIMARY KEY (import_id, position)
);

CREATE VIRTUAL TABLE apis_fts USING fts5(
  name, tool, category, description, tool_description, parameters,
  tokenize = 'porter unicode61 remove_diacritics 2'
);

CREATE TABLE embedders (
  id TEXT PRIMARY KEY,            -- "minilm", "lsa@3f9a...": one per fitted state
  kind TEXT NOT NULL,             -- id of the embedder plug-in
  dim INTEGER NOT NULL,
  state BLOB,                     -- fitted state (npz without pickle), NULL if none
  created_us INTEGER NOT NULL
);

CREATE TABLE vectors (
  embedder TEXT NOT NULL,
  text_hash TEXT NOT NULL,
  vector BLOB NOT NULL,           -- (dim,) float32, length 1
  PRIMARY KEY (embedder, text_hash)
);

CREATE TABLE point_sets (         -- which APIs, in which order, the arrays below are about
  id INTEGER PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  n INTEGER NOT NULL,
  api_rowids BLOB NOT NULL        -- (n,) int32
);

CREATE TABLE neighbours (
  id INTEGER PRIMARY KEY,
  point_set INTEGER NOT NULL REFERENCES point_sets(id),
  embedder TEXT NOT NULL,
  k INTEGER NOT NULL,
  indices BLOB NOT NULL,          -- (n, k) int32, positions in the point set, itself first
  distances BLOB NOT NULL,        -- (n, k) float32, cosine
  UNIQUE (point_set, embedder, k)
);

CREATE TABLE clusterings (
  id INTEGER PRIMARY KEY,
  point_set INTEGER NOT NULL REFERENCES point_sets(id),
  embedder TEXT NOT NULL,
  method TEXT NOT NULL,
  options TEXT NOT NULL,          -- JSON
  labels BLOB NOT NULL,           -- (n,) int32, -1 = noise
  n_clusters INTEGER NOT NULL,
  noise INTEGER NOT NULL,
  silhouette REAL,
  created_us INTEGER NOT NULL
);

CREATE TABLE layouts (
  id INTEGER PRIMARY KEY,
  point_set INTEGER NOT NULL REFERENCES point_sets(id),
  embedder TEXT NOT NULL,
  method TEXT NOT NULL,
  options TEXT NOT NULL,          -- JSON
  xy BLOB NOT NULL,               -- (n, 2) float32
  created_us INTEGER NOT NULL
);

CREATE TABLE toolkits (
  id INTEGER PRIMARY KEY AUTOINCREMENT,  -- permanent, never used again
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  name_author TEXT NOT NULL,
  description_author TEXT NOT NULL,
  pinned INTEGER NOT NULL DEFAULT 0,
  clustering INTEGER REFERENCES clusterings(id),
  created_us INTEGER NOT NULL,
  retired_us INTEGER              -- not NULL: merged, split or replaced; kept for old runs
);

CREATE TABLE toolkit_members (
  api_rowid INTEGER PRIMARY KEY REFERENCES apis(rowid),
  toolkit_id INTEGER NOT NULL REFERENCES toolkits(id),
  pinned INTEGER NOT NULL DEFAULT 0,
  centrality REAL NOT NULL DEFAULT 0   -- cosine to the toolkit's centroid
);
CREATE INDEX members_by_toolkit ON toolkit_members(toolkit_id, centrality DESC);

CREATE TABLE runs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  parent_run INTEGER REFERENCES runs(id),  -- fork: the prefix is read through the parent ...
  fork_seq INTEGER,                        -- ... up to and including this event
  query TEXT NOT NULL,
  strategy TEXT NOT NULL,
  model TEXT NOT NULL,
  provider TEXT NOT NULL,
  options TEXT NOT NULL,          -- JSON: strategy options, limits, seed
  status TEXT NOT NULL,           -- cached fold of the events
  answer TEXT NOT NULL DEFAULT '',
  totals TEXT NOT NULL DEFAULT '{}',  -- cached fold, JSON
  started_us INTEGER NOT NULL,
  ended_us INTEGER,
  app_version TEXT NOT NULL,
  process TEXT NOT NULL DEFAULT ''    -- who runs it; not alive any more = the run was interrupted
);

CREATE TABLE events (
  run_id INTEGER NOT NULL REFERENCES runs(id),
  seq INTEGER NOT NULL,           -- 1, 2, 3 ... without gaps
  wall_us INTEGER NOT NULL,
  mono_ns INTEGER NOT NULL,       -- since the run began on this process
  type TEXT NOT NULL,
  path TEXT NOT NULL,
  parent TEXT,                    -- path of the parent node, NULL for the root
  cause_seq INTEGER,              -- the "why" arrow
  actor TEXT NOT NULL,            -- strategy, model, provider, person, engine
  body TEXT NOT NULL,             -- JSON; long texts as {"$blob": hash}
  PRIMARY KEY (run_id, seq)
) WITHOUT ROWID;

CREATE TABLE blobs (
  hash BLOB PRIMARY KEY,          -- SHA-256 of the raw bytes
  codec TEXT NOT NULL,            -- "raw" or "zlib"
  size INTEGER NOT NULL,          -- raw bytes
  data BLOB NOT NULL
);

CREATE TABLE message_chains (     -- requests as chains of messages: shared prefixes stored once
  hash BLOB PRIMARY KEY,          -- SHA-256 of previous hash + role + content hash
  previous BLOB,
  role TEXT NOT NULL,
  content BLOB NOT NULL REFERENCES blobs(hash)
);

CREATE TABLE recordings (         -- recorded calls, answered by the provider "recorded"
  id INTEGER PRIMARY KEY,
  api_key TEXT NOT NULL,          -- apis.key
  arguments TEXT NOT NULL,        -- canonical JSON (sorted, normalised names)
  names TEXT NOT NULL,            -- sorted argument names, comma-separated
  response TEXT NOT NULL,         -- JSON
  error TEXT NOT NULL,            -- "" if none
  truncated INTEGER NOT NULL,
  UNIQUE (api_key, arguments)
);
CREATE INDEX recordings_by_names ON recordings(api_key, names);

CREATE TABLE cases (
  id TEXT PRIMARY KEY,            -- short name, such as "fallback-in-toolkit"
  title TEXT NOT NULL,
  query TEXT NOT NULL,
  options TEXT NOT NULL,          -- JSON: strategy, model, provider, limits
  expected TEXT NOT NULL,         -- JSON: what its run must show
  position INTEGER NOT NULL
)
