"""The demonstration: a small network really trained on handwritten digits, reporting through the client."""
