CREATE TEMP TABLE apis_fts_before AS
SELECT rowid AS api_rowid, name, tool, category, description, tool_description, parameters
FROM apis_fts;

DROP TABLE apis_fts;

-- Marks are parts of words: without vowel signs, words of Thai, Hindi and Tamil fall apart.
-- What is put in goes through index_form (words/scripts.py).
CREATE VIRTUAL TABLE apis_fts USING fts5(
  name, tool, category, description, tool_description, parameters,
  tokenize = "porter unicode61 remove_diacritics 2 categories 'L* N* Co M*'"
);

INSERT INTO apis_fts(rowid, name, tool, category, description, tool_description, parameters)
SELECT api_rowid, index_form(ifnull(name, '')), index_form(ifnull(tool, '')),
       index_form(ifnull(category, '')), index_form(ifnull(description, '')),
       index_form(ifnull(tool_description, '')), index_form(ifnull(parameters, ''))
FROM apis_fts_before ORDER BY api_rowid;

DROP TABLE apis_fts_before
