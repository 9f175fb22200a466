"""Small offline experiments in the real client: each claim of the guide to sub-agents is the outcome of one."""
