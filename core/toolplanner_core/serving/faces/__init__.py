"""How a client reaches the gateway: over the standard streams of a process, or HTTP on loopback."""
