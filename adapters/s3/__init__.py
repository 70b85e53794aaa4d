"""Bodies in an S3 bucket."""
