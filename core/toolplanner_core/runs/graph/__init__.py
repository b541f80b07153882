"""The graph of tools in a workspace: built from the trajectories of runs, shown, edited."""
