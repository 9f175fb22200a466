"""The commands a project has: found in its tracked files, one row for each ecosystem."""
