"""Forms made from what the core declares: a plug-in's options, a choice of plug-ins, a run."""
