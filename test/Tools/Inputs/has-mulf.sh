#!/bin/sh
# The bug to keep: the file has an arith.mulf. fa-reduce reads exit code 1 so.
if grep -q arith.mulf "$1"; then exit 1; fi
