"""Options of plug-ins: one frozen dataclass each, from which flags, forms and lists are made.

They are plain dataclasses, not pydantic models: type, default, range and words stand in one line
for flags, forms and lists alike; pydantic would save nothing there and costs 0.1 s at each start.
"""
