"""The catalogue and its toolkits as a run looks them up, each answer recorded in its log.

Looking through the catalogue is one thing with one name, `search`, whether page by page or by
words.
"""
