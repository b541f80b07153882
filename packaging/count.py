"""`make count`: how much code there is, without blank lines, comments and docstrings.

Counts the checkout it lies in, or another one: `python packaging/count.py PATH`. Uses nothing but
the standard library, so that it counts old checkouts by the same rule.
"""

import argparse
import ast
import io
import sys
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOTS = ("core/toolplanner_core", "toolplanner_gui")
APART = {
    "demo world": ("providers/demo", "toolplanner_core/demo/"),
    "offline rules": ("llm/offline/",),
}
"""What is data and rules in the form of code: counted with the rest and apart."""
_NO_CODE = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
    tokenize.ENCODING, tokenize.ENDMARKER,
}  # fmt: skip


class Counted(NamedTuple):
    """One file: where it is, all of its lines, those with code, and its public classes."""

    place: str
    lines: int
    code: int
    classes: list[str]


def count(path: Path, root: Path) -> Counted:
    """Count one file."""
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    code: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _NO_CODE:
            code.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(tree):
        match node:
            # A text that stands alone says something about what is beside it.
            case ast.Expr(value=ast.Constant(value=str())):
                code.difference_update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    classes = [n.name for n in tree.body if isinstance(n, ast.ClassDef) and n.name[0] != "_"]
    return Counted(path.relative_to(root).as_posix(), len(text.splitlines()), len(code), classes)


def package_of(place: str) -> str:
    """The package a file is counted with: `runs`, or `toolplanner_gui/panels`."""
    parts = place.removeprefix("core/toolplanner_core/").split("/")
    if place.startswith("toolplanner_gui/"):
        return "/".join(parts[:2]) if len(parts) > 2 else "toolplanner_gui"
    return parts[0] if len(parts) > 1 else "toolplanner_core"


def report(root: Path) -> Iterator[str]:
    """The figures, line by line."""
    files = [count(path, root) for top in ROOTS for path in sorted((root / top).rglob("*.py"))]
    packages: defaultdict[str, list[Counted]] = defaultdict(list)
    for file in files:
        packages[package_of(file.place)].append(file)
    yield f"{'package':<30}{'files':>7}{'code lines':>12}"
    for name, members in packages.items():
        yield f"{name:<30}{len(members):>7}{sum(f.code for f in members):>12,}"
    total = sum(file.code for file in files)
    yield f"{'all':<30}{len(files):>7}{total:>12,}"
    kept = files
    for name, places in APART.items():
        apart = [file for file in files if any(place in file.place for place in places)]
        kept = [file for file in kept if file not in apart]
        yield f"  {name:<28}{len(apart):>7}{sum(f.code for f in apart):>12,}"
    yield f"{'without ' + ' and '.join(APART):<30}{len(kept):>7}{sum(f.code for f in kept):>12,}"
    sizes = sorted(file.lines for file in files if file.lines)
    p50, p90 = (sizes[int(share * (len(sizes) - 1))] for share in (0.5, 0.9))
    yield f"lines a file (comments and all): p50 {p50}, p90 {p90}, max {sizes[-1]}"
    names = Counter(name for file in files for name in file.classes)
    twice = sorted(name for name, n in names.items() if n > 1)
    yield f"class names used twice: {len(twice)}: {', '.join(twice)}"


def main() -> None:
    """Print the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    here = Path(__file__).resolve().parents[1]
    parser.add_argument("checkout", nargs="?", type=Path, default=here, help="which one to count")
    root: Path = parser.parse_args().checkout
    if not all((root / top).is_dir() for top in ROOTS):
        sys.exit(f"{root} is no checkout of ToolPlanner: it needs {' and '.join(ROOTS)}.")
    sys.stdout.writelines(f"{line}\n" for line in report(root))


if __name__ == "__main__":
    main()
