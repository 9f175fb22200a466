#!/bin/sh
logger -t harbor seen
