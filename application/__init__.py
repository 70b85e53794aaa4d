"""Use cases: commands decide and append, projections fold events into views, queries read them through ports."""
