"""`baton demo`: one story on a small repository, with scripted stand-ins for the sub-agents."""
