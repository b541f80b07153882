"""The demo: a world of invented vendors that really answer, and the workspace made of it."""

from toolplanner_core.providers.demo.provider import PLUGIN

__all__ = ["PLUGIN"]
