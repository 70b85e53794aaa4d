"""The read API and what programs and people may do with runs: one file a capability, names as in the queries."""
