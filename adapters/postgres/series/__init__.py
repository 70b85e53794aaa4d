"""The series view in PostgreSQL: chunks of packed points, and pointers to the events not yet compacted into them."""
