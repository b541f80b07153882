"""Agents that look through the catalogue from the top down, at the same time, for the APIs that a
query needs.

Source: Du et al., AnyTool, arXiv 2402.04253, section 4.1; used by `strategies/anytool.py`.
"""
