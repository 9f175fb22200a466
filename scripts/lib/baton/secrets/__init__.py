"""What holds a credential, by the name of a variable or by its look, and where a text holds one."""
