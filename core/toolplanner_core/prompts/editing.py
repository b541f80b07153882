"""What a person made of the prompts in a workspace: saved there, every version of it kept."""

import difflib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from toolplanner_core.errors import BadInput
from toolplanner_core.prompts.texts import default_prompt, default_prompts, hash_of, places_of
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.rows import of_its_form
from toolplanner_core.workspace.settings import change_setting, get_setting

_KEY = "prompts"
_LONGEST = 20_000
"""Characters: five times the longest default; more fits no small model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptVersion:
    """A text that a person saved; `saved_us`: microseconds since 1970."""

    text: str
    saved_us: int

    @property
    def hash(self) -> str:
        """What runs know it by."""
        return hash_of(self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspacePrompt:
    """A prompt as it holds in a workspace.

    Attributes:
        versions: that were saved, oldest first; they are kept after a reset, too.
        is_edited: the newest of them holds, not the default.
    """

    name: str
    title: str
    default: str
    versions: tuple[PromptVersion, ...] = ()
    is_edited: bool = False

    @property
    def text(self) -> str:
        """The one that holds."""
        return self.versions[-1].text if self.is_edited else self.default

    @property
    def hash(self) -> str:
        """Of the text that holds."""
        return hash_of(self.text)

    def version(self, hash_: str) -> str:
        """The text of a hash, or of how it begins.

        Raises:
            BadInput: none has it.
        """
        for text in (self.default, *(one.text for one in reversed(self.versions))):
            if hash_ and hash_of(text).startswith(hash_):
                return text
        raise BadInput(f"The prompt {self.name} has no version {hash_!r}")


def workspace_prompts(workspace: Workspace) -> list[WorkspacePrompt]:
    """All prompts, in the order of their names."""
    saved = _saved(get_setting(workspace, _KEY))
    return [_prompt(name, saved) for name in default_prompts()]


def workspace_prompt(workspace: Workspace, name: str) -> WorkspacePrompt:
    """One of them.

    Raises:
        NotFound: there is none of this name.
    """
    default_prompt(name)
    return _prompt(name, _saved(get_setting(workspace, _KEY)))


def edited_texts(workspace: Workspace) -> dict[str, str]:
    """The texts that differ from the defaults, by name: what a run begins with."""
    return {one.name: one.text for one in workspace_prompts(workspace) if one.is_edited}


def edit_prompt(workspace: Workspace, name: str, text: str) -> WorkspacePrompt:
    """Save a text, which holds for runs that begin from now on; the default resets it. Blocks.

    Raises:
        NotFound: there is no such prompt.
        BadInput: see `prompt_problems`.
    """
    text = text.strip("\n")
    if wrong := prompt_problems(name, text):
        raise BadInput(f"The prompt {name} cannot be saved: {'; '.join(wrong)}")
    if text == default_prompt(name).text:
        return reset_prompt(workspace, name)
    version = {"text": text, "saved_us": time.time_ns() // 1000}

    def work(data: Any) -> Any:
        saved = _saved(data)
        kept = [one for one in saved.get(name, {}).get("versions", []) if one["text"] != text]
        return {**saved, name: {"is_edited": True, "versions": [*kept, version]}}

    change_setting(workspace, _KEY, work)
    return workspace_prompt(workspace, name)


def reset_prompt(workspace: Workspace, name: str) -> WorkspacePrompt:
    """Let the default hold again; what was saved stays among the versions. Blocks.

    Raises:
        NotFound: there is no such prompt.
    """
    default_prompt(name)

    def work(data: Any) -> Any:
        saved = _saved(data)
        return {**saved, name: {**saved.get(name, {}), "is_edited": False}}

    change_setting(workspace, _KEY, work)
    return workspace_prompt(workspace, name)


def prompt_problems(name: str, text: str) -> list[str]:
    """What keeps a text from being saved, in words; nothing if it can be.

    Raises:
        NotFound: there is no such prompt.
    """
    wanted, found = places_of(default_prompt(name).text), places_of(text)
    said = ["it is empty"] if not text.strip() else []
    said += [f"{{{{{place}}}}} is missing" for place in sorted(wanted - found)]
    known = ", ".join(f"{{{{{place}}}}}" for place in sorted(wanted))
    said += [f"{{{{{p}}}}} is unknown (there are {known})" for p in sorted(found - wanted)]
    if len(text) > _LONGEST:
        said.append(f"it has {len(text):,} characters, at most {_LONGEST:,} are useful")
    return said


def prompt_diff(before: str, after: str) -> Sequence[str]:
    """Two texts line by line, as a unified diff; nothing if they are equal."""
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), "default", "edited", lineterm="", n=2
    )
    return list(lines)


def _prompt(name: str, saved: Mapping[str, Mapping[str, Any]]) -> WorkspacePrompt:
    default, own = default_prompt(name), saved.get(name, {})
    with of_its_form("an edited prompt"):
        versions = tuple(PromptVersion(**one) for one in own.get("versions", ()))
    return WorkspacePrompt(
        name=name,
        title=default.title,
        default=default.text,
        versions=versions,
        # A newer program may want other places: then its default holds.
        is_edited=bool(own.get("is_edited"))
        and bool(versions)
        and not prompt_problems(name, versions[-1].text),
    )


def _saved(data: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", data) if isinstance(data, dict) else {}
