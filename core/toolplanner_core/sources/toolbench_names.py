"""How ToolBench names functions: the last part of an API's key.

Queries, recordings and traces of ToolBench name APIs by these keys, so they are made exactly as
ToolBench makes them, its oddities included: a circumflex counts as a letter, Chinese letters stay,
other scripts become "_".

Source: ToolBench (Apache-2.0), toolbench/utils.py, the behaviour of `standardize` and
`change_name`; on the real files all keys that exist in the catalogue are found (see the tests).
"""

import re

_OTHER = re.compile("[^\u4e00-\u9fa5a-zA-Z0-9_^]")
_RUNS = re.compile("__+")
_RESERVED = frozenset({"from", "class", "return", "false", "true", "id", "and"})


def function_name(name: str) -> str:
    """ToolBench's function name of an API: "Get user/{id}" gives "get_user_id".

    "" when nothing of the name is left.
    """
    text = _RUNS.sub("_", _OTHER.sub("_", name)).lower().strip("_")
    if text[:1].isdigit():
        text = f"get_{text}"
    return f"is_{text}" if text in _RESERVED else text
