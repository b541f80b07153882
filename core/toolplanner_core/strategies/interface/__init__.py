"""What a strategy offers and is given: the plug-in, its run, views of the catalogue, dialogues."""
