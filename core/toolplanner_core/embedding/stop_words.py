"""English words that say nothing about what an API does.

Callers: `lsa_terms.py`, `retrieval/terms.py`.
"""

# fmt: off
STOP_WORDS = frozenset(
    {
        "a", "about", "above", "after", "again", "all", "also", "am", "an", "and", "any",
        "are", "as", "at", "be", "because", "been", "before", "being", "below", "between",
        "both", "but", "by", "can", "could", "did", "do", "does", "doing", "down", "during",
        "each", "few", "for", "from", "further", "had", "has", "have", "having", "he",
        "her", "here", "hers", "him", "his", "how", "i", "if", "in", "into", "is", "it",
        "its", "itself", "just", "many", "me", "more", "most", "much", "my", "myself", "no",
        "nor", "not", "now", "of", "off", "on", "once", "only", "or", "other", "our",
        "ours", "out", "over", "own", "please", "s", "same", "she", "should", "so", "some",
        "such", "t", "than", "that", "the", "their", "theirs", "them", "then", "there",
        "these", "they", "this", "those", "through", "to", "too", "under", "until", "up",
        "us", "very", "was", "we", "were", "what", "when", "where", "which", "while", "who",
        "whom", "why", "will", "with", "would", "you", "your", "yours",
    }
)
# fmt: on
"""Articles, pronouns, prepositions, auxiliaries and the like; no verb or noun a tool may be
about."""
