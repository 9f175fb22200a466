"""What is known of the client: a client that follows a script, the guide's claims, what definitions get wrong."""
