/* Carriers: the classes are complete. */
#include "core/convey/carrier.h"
#include "tests/check.h"

static void carriers__have_every_slot(void)
{
    for (int i = 0; wm_carrier_classes[i] != NULL; i++) {
        const struct wm_carrier_class *class = wm_carrier_classes[i];

        CU_ASSERT(class->name != NULL && class->open != NULL && class->close != NULL && class->end != NULL);
        CU_ASSERT(class->hungry != NULL && class->take != NULL && class->give != NULL && class->rewind != NULL);
        CU_ASSERT(class->progress != NULL && class->idle != NULL && class->error != NULL && class->free != NULL);
    }
}

static void carriers__have_names_of_their_own(void)
{
    for (int i = 0; wm_carrier_classes[i] != NULL; i++)
        for (int other = 0; other < i; other++)
            CU_ASSERT_STRING_NOT_EQUAL(wm_carrier_classes[i]->name, wm_carrier_classes[other]->name);
}

static const struct check_case cases[] = {
    CASE(carriers__have_every_slot),
    CASE(carriers__have_names_of_their_own),
};

CHECK_MAIN("carriers", cases)
