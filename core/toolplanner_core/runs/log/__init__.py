"""The log of a run: written with the clock, without secrets; read back as a tape or as a stored
run."""
