"""The artifacts that sub-agents hand in: parsed, normalized, validated."""
