"""What a pull request says, as one record; how it is shown."""
