"""Training a retriever for a catalogue: pairs, split, hard negatives, the loop, figures, files."""
