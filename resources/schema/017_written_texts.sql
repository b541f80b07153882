-- the few APIs whose text a person or a model wrote: found without reading all
CREATE INDEX apis_with_written_text ON apis(functionality_author) WHERE functionality_author <> 'rule'
