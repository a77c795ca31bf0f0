/* The few lines that every CUnit suite shares: a table of cases, a main that runs it and returns 0 or 1. */
#ifndef WM_TESTS_CHECK_H
#define WM_TESTS_CHECK_H

#include <CUnit/Basic.h>
#include <stddef.h>

struct check_case {
    const char *name; /* a sentence: plan__rejects_a_ragged_axis */
    void (*run)(void);
};

#define CASE(function)                                                                                                 \
    {                                                                                                                  \
#function, function                                                                                            \
    }

static inline int check_main(const char *suite_name, const struct check_case *cases, size_t count)
{
    CU_pSuite suite;
    unsigned failures;

    if (CU_initialize_registry() != CUE_SUCCESS || (suite = CU_add_suite(suite_name, NULL, NULL)) == NULL)
        return 2;
    for (size_t i = 0; i < count; i++)
        if (CU_add_test(suite, cases[i].name, cases[i].run) == NULL)
            return 2;
    CU_basic_set_mode(CU_BRM_NORMAL);
    CU_basic_run_tests();
    failures = CU_get_number_of_failures() + (CU_get_number_of_tests_run() != count);
    CU_cleanup_registry();
    return failures ? 1 : 0;
}

#define CHECK_MAIN(suite_name, cases)                                                                                  \
    int main(void)                                                                                                     \
    {                                                                                                                  \
        return check_main(suite_name, cases, sizeof cases / sizeof cases[0]);                                          \
    }

#endif
