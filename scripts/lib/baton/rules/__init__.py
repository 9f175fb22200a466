"""The rules to go on, run again, ask or stop: tables and a pure engine."""
