"""Every door at once: what a hostile or careless sender is answered, and that nobody else loses by it."""
