"""The pages of the details panel: a toolkit, an API, several APIs."""
