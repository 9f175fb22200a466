"""The teas that are known by name, and the seconds they steep."""

TEAS = {"black": 240, "green": 120, "rooibos": 420}
