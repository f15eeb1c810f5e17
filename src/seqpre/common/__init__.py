"""Shared basics: errors that users can fix, atomic file writes, the device, and provenance."""
