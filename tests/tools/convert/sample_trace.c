/* Writes the sample trace into the directory that is named: for tests/tools/convert/convert.sh. */
#include "tests/tools/convert/sample_trace.h"

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    sample_write(argv[1]);
    return 0;
}
