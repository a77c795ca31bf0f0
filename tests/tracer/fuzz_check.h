/* What must hold of any directory, however damaged: opened, analysed and reported on, or refused with a sentence. */
#ifndef WM_TESTS_FUZZ_CHECK_H
#define WM_TESTS_FUZZ_CHECK_H

/* NULL when all holds (or the directory was refused); else what does not, a static sentence. */
const char *fuzz_check_directory(const char *directory);

#endif
