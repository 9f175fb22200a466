"""What sub-agents hand in: parsed, normalised, validated."""
