"""The audit itself: how complete it is."""
