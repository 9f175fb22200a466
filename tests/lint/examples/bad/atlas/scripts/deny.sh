#!/bin/bash
if grep -q 'rm -rf'; then
  echo 'not with -rf' >&2
  exit 2
fi
