-- the name that the rule would give a toolkit whose members are others than when it was named
ALTER TABLE toolkits ADD COLUMN proposed_name TEXT NOT NULL DEFAULT ''
