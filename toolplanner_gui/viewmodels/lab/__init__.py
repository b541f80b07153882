"""State of the layout Lab: the experiments beside the workspace, and what was read of one."""
