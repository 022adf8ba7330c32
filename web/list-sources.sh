#!/bin/sh
# Prints the page's sources, for the build to watch.
cd "$(dirname "$0")" && find src -name '*.ts' -o -name '*.tsx' | sort
