"""Keys of tools and endpoints: in the system's keychain, else in memory until the program ends.

A key belongs to the origin that it was saved for and is found for no other. Its value stands
nowhere else: beside the settings lies a list of names only, since keychains cannot be listed.
Whoever writes something down asks `registered_secrets` what must be blacked out.

Source: design/security.md, "Keys".
"""

import json
import os
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, Protocol, cast

from toolplanner_core.domain.operation import Origin
from toolplanner_core.errors import BadInput, NotFound
from toolplanner_core.settings import settings_path
from toolplanner_core.words.window_places import KEYS

ANY_SCHEME = "any"
"""The scheme of a key that is good for whatever its origin asks for."""
_SERVICE = "ToolPlanner"
_PART = 1_200
"""Characters of a value in one entry of the keychain; Windows keeps about 1,280."""
_VARIABLE = "TOOLPLANNER_KEY_"


class KeyLocation(StrEnum):
    """Where the value of a key is."""

    KEYCHAIN = "keychain"
    SESSION = "this session"
    ENVIRONMENT = "environment"


@dataclass(frozen=True, slots=True, order=True)
class KeyName:
    """What a key is for.

    Attributes:
        origin: where it may be sent; a host of "*.example.com" means all below example.com.
        scheme: what the catalogue calls it, or `ANY_SCHEME`.
    """

    origin: Origin
    scheme: str = ANY_SCHEME

    def fits(self, origin: Origin, scheme: str) -> bool:
        """Whether it may be sent to an origin that asks for `scheme`."""
        mine = self.origin
        is_there = mine.host == origin.host or (
            mine.host.startswith("*.") and origin.host.endswith(mine.host[1:])
        )
        is_same = (mine.scheme, mine.port) == (origin.scheme, origin.port)
        return is_there and is_same and self.scheme in (scheme, ANY_SCHEME)


class Keychain(Protocol):
    """A keychain, as `keyring` offers them."""

    def get_password(self, service: str, username: str) -> str | None:
        """What is kept, if anything is."""
        ...

    def set_password(self, service: str, username: str, password: str) -> None:
        """Keep it."""
        ...

    def delete_password(self, service: str, username: str) -> None:
        """Forget it."""
        ...


def system_keychain() -> Keychain | None:
    """The keychain of this system and person, None if there is none that is safe."""
    import keyring

    found = keyring.get_keyring()
    return cast(Keychain, found) if found.priority >= 1 else None


class _Known:
    """Values that this process has seen; asked for each text that is written down."""

    def __init__(self) -> None:
        self.values: tuple[str, ...] = ()
        self._lock = threading.Lock()

    def add(self, values: Iterable[str]) -> None:
        with self._lock:
            self.values = tuple(dict.fromkeys((*self.values, *values)))


_known = _Known()


def registered_secrets() -> tuple[str, ...]:
    """All values that this process has seen, in the order in which they came; it only grows, and
    is the same object until it does.

    Of a pair such as "user:password" its second part, too.
    """
    return _known.values


def register_secrets(*values: str) -> None:
    """Let values be blacked out wherever something is written from now on: tokens, for example."""
    _known.add(part for value in values for part in (value, value.partition(":")[2]) if part)


class KeyStore:
    """The keys of a person.

    Args:
        index: the file of names.
        ring: gives the keychain, None if there is none; asked once.
        environment: `TOOLPLANNER_KEY_...` variables hold "ORIGIN SCHEME VALUE".
    """

    def __init__(
        self,
        index: Path,
        *,
        ring: Callable[[], Keychain | None] = system_keychain,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        self._index = index
        self._ring = cache(ring)
        self._environment = environment
        self._session: dict[KeyName, str] = {}
        self._lock = threading.Lock()

    def names(self) -> dict[KeyName, KeyLocation]:
        """All keys, and where the values are."""
        found = dict.fromkeys(self._parts(), KeyLocation.KEYCHAIN)
        found |= dict.fromkeys(self._from_environment(), KeyLocation.ENVIRONMENT)
        return dict(sorted((found | dict.fromkeys(self._session, KeyLocation.SESSION)).items()))

    def find(self, origin: Origin, scheme: str) -> str | None:
        """The key for what an origin asks, the most exactly named one. Blocks: a keychain may ask
        the person."""
        fitting = [name for name in self.names() if name.fits(origin, scheme)]
        fitting.sort(key=lambda name: (name.origin.host != origin.host, name.scheme != scheme))
        for name in fitting:
            if value := self._value(name):
                register_secrets(value)
                return value
        return None

    def save(self, name: KeyName, value: str) -> KeyLocation:
        """Keep a key; says where: a system without a keychain keeps it for this session.

        Raises:
            BadInput: it is empty or has several lines, or its name says too little.
        """
        _check(name, value)
        register_secrets(value)
        ring = self._ring()
        parts = [value[at : at + _PART] for at in range(0, len(value), _PART)]
        with self._lock:
            try:
                if ring is None:
                    raise LookupError
                for number, part in enumerate(parts, start=1):
                    ring.set_password(_SERVICE, _account(name, number), part)
            except Exception:  # noqa: BLE001 - locked, refused by the person, broken: all the same
                self._session[name] = value
                return KeyLocation.SESSION
            self._session.pop(name, None)
            self._write(self._parts() | {name: len(parts)})
            return KeyLocation.KEYCHAIN

    def delete(self, name: KeyName) -> None:
        """Forget a key.

        Raises:
            NotFound: there is none of this name that could be forgotten.
        """
        with self._lock:
            parts = self._parts()
            if self._session.pop(name, None) is None and name not in parts:
                raise NotFound(
                    f"There is no key for {name.origin}, {name.scheme}",
                    todo=f"See them: {KEYS}",
                )
            ring = self._ring()
            for number in range(1, parts.pop(name, 0) + 1):
                try:
                    if ring is not None:
                        ring.delete_password(_SERVICE, _account(name, number))
                except Exception:  # noqa: BLE001 - somebody deleted it there
                    continue
            self._write(parts)

    def _value(self, name: KeyName) -> str | None:
        at_once = self._session.get(name) or self._from_environment().get(name)
        ring = None if at_once else self._ring()
        if ring is None:
            return at_once
        try:
            count = self._parts().get(name, 0)
            parts = [
                ring.get_password(_SERVICE, _account(name, number + 1)) for number in range(count)
            ]
        except Exception:  # noqa: BLE001 - locked, refused by the person, broken: all the same
            return None
        return None if None in parts else "".join(filter(None, parts))

    def _from_environment(self) -> dict[KeyName, str]:
        found: dict[KeyName, str] = {}
        for variable, text in self._environment.items():
            words = text.split(maxsplit=2) if variable.startswith(_VARIABLE) else ()
            if len(words) == 3:
                try:
                    found[KeyName(Origin.of(words[0]), words[1])] = words[2].strip()
                except BadInput:
                    continue
        return found

    def _parts(self) -> dict[KeyName, int]:
        """How many entries of the keychain each key has."""
        try:
            rows: Any = json.loads(self._index.read_text(encoding="utf-8"))
            return {
                KeyName(Origin.of(str(row["origin"])), str(row["scheme"])): int(row["parts"])
                for row in rows
            }
        except (OSError, ValueError, TypeError, KeyError, BadInput):
            return {}

    def _write(self, parts: Mapping[KeyName, int]) -> None:
        rows = [
            {"origin": str(name.origin), "scheme": name.scheme, "parts": count}
            for name, count in sorted(parts.items())
        ]
        self._index.parent.mkdir(parents=True, exist_ok=True)
        self._index.write_text(json.dumps(rows, indent=1), encoding="utf-8")


@cache
def person_keys() -> KeyStore:
    """The keys of whoever sits here."""
    return KeyStore(settings_path().with_name("keys.json"))


def _account(name: KeyName, number: int) -> str:
    return f"{name.origin} {name.scheme}" + (f" ({number})" if number > 1 else "")


def _check(name: KeyName, value: str) -> None:
    if not value.strip() or any(ord(char) < 32 for char in value):
        raise BadInput("A key is one line of text", todo="Enter it again")
    host = name.origin.host
    if "*" in host and not (host.startswith("*.") and host.count("*") == 1 and "." in host[2:]):
        raise BadInput(
            f"A key cannot be for {name.origin}",
            why="A star stands for one whole company's hosts only",
            todo="Write it like https://*.p.rapidapi.com",
        )
