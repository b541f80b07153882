"""Parts of the table of APIs."""
