"""From the core to Qt: threads, coroutines, batches of events, questions, errors, choices."""
