"""Where trials run: in this process, or in worker processes of this machine; one file each."""
