"""Options of plug-ins: one frozen dataclass each, from which flags, forms and lists are made."""
