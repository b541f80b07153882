"""`toolplanner keys` and `toolplanner origins`: what may be sent, and where."""

import sys

import click

from toolplanner_core.cli.options import json_option
from toolplanner_core.cli.terminal import print_line, print_rows
from toolplanner_core.domain.operation import Origin
from toolplanner_core.errors import BadInput
from toolplanner_core.keys import ANY_SCHEME, KeyLocation, KeyName, person_keys
from toolplanner_core.net.addresses import allow_origin, allowed_origins, forbid_origin

_origin = click.argument("origin", metavar="ORIGIN")
_scheme = click.argument("scheme", default=ANY_SCHEME, metavar="[SCHEME]")


@click.group()
def keys() -> None:
    """Keys of tools, in the system's keychain; each belongs to one origin."""


@keys.command("list")
@json_option
def list_keys(as_json: bool) -> None:
    """List what keys are for; their values are never shown."""
    print_rows(
        list(person_keys().names().items()),
        ["Origin", "Scheme", "Where"],
        lambda row: [row[0].origin, row[0].scheme, row[1]],
        as_json=as_json,
        to_json=lambda row: {"origin": str(row[0].origin), "scheme": row[0].scheme, "in": row[1]},
        empty="There are no keys. Save one with: toolplanner keys set ORIGIN SCHEME",
    )


@keys.command("set")
@_origin
@_scheme
def set_key(origin: str, scheme: str) -> None:
    """Save the key that ORIGIN asks for under SCHEME; without SCHEME for whatever it asks.

    The key is read from a prompt, or from stdin: never from the command line. For basic it is
    "user:password", for OAuth 2 "client id:client secret". ORIGIN may be https://*.example.com.
    """
    name = KeyName(Origin.of(origin), scheme)
    is_asked = sys.stdin.isatty()
    value = click.prompt("Key", hide_input=True, err=True) if is_asked else sys.stdin.read()
    if person_keys().save(name, str(value).strip()) is KeyLocation.SESSION:
        raise BadInput(
            "This system has no keychain that is open to this program",
            why="The key would be gone when this command ends",
            todo=f'Set the variable TOOLPLANNER_KEY_1="{name.origin} {name.scheme} VALUE" for runs',
        )
    print_line(f"Saved in the keychain: {name.origin}, {name.scheme}.")


@keys.command("delete")
@_origin
@_scheme
def delete_key(origin: str, scheme: str) -> None:
    """Forget a key."""
    person_keys().delete(KeyName(Origin.of(origin), scheme))


@click.group()
def origins() -> None:
    """Servers on this machine and in private networks that may be called."""


@origins.command("list")
@json_option
def list_origins(as_json: bool) -> None:
    """List what was allowed."""
    print_rows(
        sorted(allowed_origins()),
        ["Origin"],
        lambda origin: [origin],
        as_json=as_json,
        to_json=str,
        empty="Nothing but the open internet is called.",
    )


@origins.command("allow")
@_origin
def allow(origin: str) -> None:
    """Let ORIGIN be called wherever it is, such as http://localhost:8080."""
    allow_origin(Origin.of(origin))


@origins.command("forbid")
@_origin
def forbid(origin: str) -> None:
    """Take that back."""
    forbid_origin(Origin.of(origin))
