"""Calls over HTTP: from an operation and arguments to a request, and from a reply to a result."""

from toolplanner_core.providers.http.provider import PLUGIN

__all__ = ["PLUGIN"]
