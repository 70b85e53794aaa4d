"""Producers of other projects, each importable without the framework it serves."""
