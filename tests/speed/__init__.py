"""What `scripts/bench` measures, and how; no part of the plugin's program."""
