"""Configurations of agents' programs that use the gateway: one file for each program."""
