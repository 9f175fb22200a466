"""`/resolve-pr-feedback`: a pull request's feedback, from open review threads to fixed, replied and resolved."""
