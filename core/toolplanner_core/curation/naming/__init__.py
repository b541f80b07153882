"""Names and descriptions of toolkits by rule, from the words of their APIs."""
