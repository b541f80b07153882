-- Sums of the members' vectors, kept so that no start has to read all vectors. A row is there only
-- while it is true: whatever changes members or vectors takes it away.
CREATE TABLE toolkit_sums (
    toolkit_id INTEGER PRIMARY KEY,
    embedder TEXT NOT NULL,
    known INTEGER NOT NULL,
    total BLOB NOT NULL
);
CREATE TRIGGER sums_after_joining AFTER INSERT ON toolkit_members BEGIN
    DELETE FROM toolkit_sums WHERE toolkit_id = NEW.toolkit_id; END;
CREATE TRIGGER sums_after_leaving AFTER DELETE ON toolkit_members BEGIN
    DELETE FROM toolkit_sums WHERE toolkit_id = OLD.toolkit_id; END;
CREATE TRIGGER sums_after_moving AFTER UPDATE OF toolkit_id ON toolkit_members BEGIN
    DELETE FROM toolkit_sums WHERE toolkit_id IN (OLD.toolkit_id, NEW.toolkit_id); END;
CREATE TRIGGER sums_after_new_text AFTER UPDATE OF text_hash ON apis
WHEN OLD.text_hash IS NOT NEW.text_hash BEGIN
    DELETE FROM toolkit_sums WHERE toolkit_id IN
        (SELECT toolkit_id FROM toolkit_members WHERE api_rowid = NEW.rowid); END;
CREATE TRIGGER sums_after_new_vector AFTER INSERT ON vectors BEGIN
    DELETE FROM toolkit_sums WHERE embedder = NEW.embedder; END;
