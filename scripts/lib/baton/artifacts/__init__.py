"""What sub-agents hand in: parsed, normalized, validated."""
