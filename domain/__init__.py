"""The core: what is recorded for ever (`events`), what decides between facts (`rules`), and decisions.

Pure: standard library, `msgspec.Struct` and `tuneplane.contract`. Nothing here reads a clock, the
environment, a random source or a file.
"""
