-- members came or went since a person or a model wrote the description
ALTER TABLE toolkits ADD COLUMN is_description_old INTEGER NOT NULL DEFAULT 0
