/* Flaws: published, and awaited. */
#include "core/call/flaw.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "core/call/publish.h"

/* The guard looks ten times a second, and tells a flaw at its second look; it may have no processor. Without a tick so
 * far it is about to start, or could not. */
enum { NAMING_MS = 5000, STARTING_MS = 2000, LOOK_MS = 10 };

static struct wm_page *page;               /* lasts beyond wm_publish_stop */
static const char *formats[WM_PAGE_FLAWS]; /* of its flaws */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void wm_flaws_start(void)
{
    page = wm_published;
}

static bool is_known(const char *format, const struct wm_page_flaw *flaw)
{
    for (uint32_t i = 0; i < page->flaw_count; i++)
        if (formats[i] == format && memcmp(page->flaws[i].sites, flaw->sites, sizeof flaw->sites) == 0)
            return true;
    return false;
}

/* Readers find a site by the modules that are listed. */
static uint64_t listed(const void *site)
{
    uint64_t address = (uint64_t)(uintptr_t)site;

    if (address != 0 && wm_page_find_module(page, address) == NULL)
        wm_page_list_modules(page);
    return address;
}

void wm_flaw_add(const void *first, const void *second, const char *format, ...)
{
    struct wm_page_flaw flaw = {0};
    va_list arguments;

    if (page == NULL)
        return;
    va_start(arguments, format);
    vsnprintf(flaw.text, sizeof flaw.text, format, arguments);
    va_end(arguments);
    wm_process_lock(&lock);
    flaw.sites[0] = listed(first);
    flaw.sites[1] = listed(second);
    if (!is_known(format, &flaw) && page->flaw_count < WM_PAGE_FLAWS) {
        formats[page->flaw_count] = format;
        page->flaws[page->flaw_count] = flaw;
        __atomic_store_n(&page->flaw_count, page->flaw_count + 1, __ATOMIC_RELEASE);
    }
    wm_process_unlock(&lock);
}

static bool is_told(void)
{
    return __atomic_load_n(&page->flaws_told, __ATOMIC_ACQUIRE) >= page->flaw_count;
}

/* In the guard's stead, which alone can find out about files and lines. */
static void say_all(void)
{
    for (uint32_t i = page->flaws_told; i < page->flaw_count; i++)
        fprintf(stderr,
                "waymark: rank %d: %s; no guard names the places @1 and @2: run it with 'waymark run -t DIR', and "
                "'waymark doctor DIR' does\n",
                wm_process.world_rank, page->flaws[i].text);
    page->flaws_told = page->flaw_count;
}

void wm_flaws_await(void)
{
    const struct timespec pause = {.tv_nsec = LOOK_MS * 1000000};

    if (page == NULL)
        return;
    for (int ms = 0; !is_told() && ms < (page->tick > 0 ? NAMING_MS : STARTING_MS); ms += LOOK_MS)
        nanosleep(&pause, NULL);
    if (!is_told())
        say_all();
}

const char *wm_flaw_function(enum wm_operation operation, enum wm_page_form form, char *name, size_t room)
{
    const char *function = wm_operation_function(operation);

    if (form == WM_FORM_BLOCKING)
        return function;
    if (form == WM_FORM_PERSISTENT)
        snprintf(name, room, "MPIX_%s_init", function + 4);
    else
        snprintf(name, room, "MPI_I%c%s", tolower(function[4]), function + 5);
    return name;
}

const char *wm_flaw_call(const struct wm_comm *c, const struct wm_call *call, enum wm_page_form form,
                         struct wm_flaw_call *out)
{
    char name[MPI_MAX_OBJECT_NAME], function[48];

    wm_comm_name(c, name);
    snprintf(out->text, sizeof out->text, "%s, call %llu on %.48s",
             wm_flaw_function(call->operation, form, function, sizeof function),
             (unsigned long long)(c->shown != NULL ? c->shown->sequence : 0),
             name[0] != '\0' ? name : "a communicator");
    return out->text;
}
