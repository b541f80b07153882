"""Forms in which toolkits are exported: one file each; forms for models are dialects of tools."""
