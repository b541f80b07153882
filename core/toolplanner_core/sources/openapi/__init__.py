"""OpenAPI: documents of operations of web servers, as tools."""

from toolplanner_core.sources.openapi.plugin import PLUGIN

__all__ = ["PLUGIN"]
