"""The decision tables: data, in the order in which the engine reads them.

`then` names what follows: a role to spawn, a table to judge next, or a step.
"""
