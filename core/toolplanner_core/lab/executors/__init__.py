"""Where trials run: in this process, in worker processes of this machine, or on a cluster; one file
each."""
