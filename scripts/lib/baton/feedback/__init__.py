"""A pull request's feedback, from open review threads to fixed, replied and resolved."""
