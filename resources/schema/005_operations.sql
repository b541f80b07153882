-- JSON: how an API is called, NULL = not known
ALTER TABLE apis ADD COLUMN operation TEXT;

ALTER TABLE import_staging ADD COLUMN operation TEXT
