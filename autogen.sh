#!/bin/sh
# Makes ./configure out of configure.ac; needs autoconf, automake and libtool.
set -e
cd "$(dirname "$0")"
autoreconf --install --warnings=all,no-obsolete
# configure clears away core dumps at its end; here `core` is a folder.
sed 's/rm -f core \*\.core/rm -f *.core/' configure > configure.tmp
cat configure.tmp > configure
rm -f configure.tmp
