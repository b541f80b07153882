"""The demo workspace: put together from every other part, for newcomers, tests and `self-test`."""
