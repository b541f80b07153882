-- Solved tasks that models are shown before they plan their own.
CREATE TABLE demonstrations (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    query TEXT NOT NULL,
    steps TEXT NOT NULL,            -- JSON: [{goal, api, title, arguments, result}]
    answer TEXT NOT NULL,
    tags TEXT NOT NULL,             -- JSON: ["..."]
    run INTEGER,                    -- that it was saved from; NULL = written by hand
    made_us INTEGER NOT NULL
);
