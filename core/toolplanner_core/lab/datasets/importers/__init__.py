"""Importers of data sets, one file each, with one `PLUGIN`."""
