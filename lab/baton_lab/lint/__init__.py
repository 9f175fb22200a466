"""What the client does otherwise than a definition of an agent, a skill, a command or a hook expects."""
