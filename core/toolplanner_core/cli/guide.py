"""`toolplanner guide`: read the guide here, or write it as HTML."""

from pathlib import Path

import click

from toolplanner_core.cli.options import FilePath, json_option
from toolplanner_core.cli.terminal import print_json, print_line, print_table
from toolplanner_core.errors import BadInput
from toolplanner_core.html_templates import render_html
from toolplanner_core.resources import resource_root
from toolplanner_core.words.guide import guide_folder, guide_pages, page_as_html


@click.command("guide")
@click.argument("page", required=False, default="")
@click.option("--html", type=FilePath(), help="Write all pages as HTML into this folder.")
@json_option
def guide_command(page: str, html: Path | None, as_json: bool) -> None:
    """List the pages of the guide, read PAGE, or write all of them as HTML."""
    pages = guide_pages()
    if html is not None:
        begin = write_guide(html)
        print_json({"begin": str(begin)}) if as_json else print_line(f"Wrote it: open {begin}")
    elif page:
        found = next((each for each in pages if page in (each.id, each.title)), None)
        if found is None:
            raise BadInput(
                f"The guide has no page “{page}”",
                todo=f"Take one of: {', '.join(each.id for each in pages)}",
            )
        print_json({"id": found.id, "text": found.text}) if as_json else print_line(found.text)
    elif as_json:
        print_json([{"id": p.id, "title": p.title, "tasks": list(p.tasks)} for p in pages])
    else:
        rows = [[p.id, p.title, " · ".join(p.tasks)] for p in pages]
        print_table(["Id", "Page", "What can be done by it"], rows)


def write_guide(folder: Path) -> Path:
    """Write all pages as one folder of plain HTML with its pictures, and say where it begins.

    Raises:
        OSError: the folder cannot be written.
    """
    from markupsafe import Markup

    (folder / "pictures").mkdir(parents=True, exist_ok=True)
    for path in (guide_folder() / "pictures").glob("*.png"):
        (folder / "pictures" / path.name).write_bytes(path.read_bytes())
    style = (resource_root() / "styles" / "guide_page.css").read_text("utf-8")
    for page in guide_pages():
        body = page_as_html(page, picture=lambda name: f"pictures/{name}.png")
        html = render_html(
            "guide_page.html", page=page, pages=guide_pages(), style=style, body=Markup(body)
        )
        (folder / f"{page.id}.html").write_text(html, "utf-8")
    return folder / f"{guide_pages()[0].id}.html"
