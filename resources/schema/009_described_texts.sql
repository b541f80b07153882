-- What a model said of toolkits, by what it was shown: asked once, whatever becomes of the toolkits.
CREATE TABLE described_texts (
    key TEXT PRIMARY KEY,           -- SHA-256 of question, version, model and documentation shown
    model TEXT NOT NULL,
    answer TEXT NOT NULL,           -- JSON
    made_us INTEGER NOT NULL
);
