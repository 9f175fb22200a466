"""Untrusted Markdown: read, quoted, flagged, and kept from acting."""
