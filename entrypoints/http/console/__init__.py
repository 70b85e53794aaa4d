"""The console: pages for people, rendered here, and the public page of a shared run."""
