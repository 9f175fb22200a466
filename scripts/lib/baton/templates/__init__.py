"""What a run is told and what you read, as templates."""
