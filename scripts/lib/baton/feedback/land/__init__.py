"""Land a round: combine the units, check, push, reply, resolve, fetch again."""
