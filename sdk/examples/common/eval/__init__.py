"""Evaluations: what they planned, what became of it, and how it is sent."""
