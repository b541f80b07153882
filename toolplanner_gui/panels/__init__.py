"""One file per panel; found by walking this package. A panel never imports another."""
