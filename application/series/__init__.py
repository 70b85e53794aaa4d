"""Arithmetic of points: merging, summarising and reducing many series at once with numpy."""
