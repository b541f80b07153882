"""The demo workspace and its example runs."""
