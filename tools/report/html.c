/* The report as a page: the template with the report, the timeline, the lateness and the instances set in. */
#include "tools/report/html.h"

#include <stdlib.h>
#include <string.h>
#include "tools/report/page_bytes.h"
#include "tools/report/page_text.h"

/* Together under 5 MB: what the others leave is the timeline's, up to a bound. */
enum {
    ALL_BYTES = 4600000,
    TIMELINE_BYTES_MAX = 2400000,
    TIMELINE_BYTES_MIN = 100000,
    LATENESS_BYTES = 800000,
    INSTANCES_BYTES = 700000
};

struct page {
    FILE *out;
    const json_t *report;
    struct wm_page_data *collected;
};

static int print_block(const struct page *page, const char *name, int (*print)(struct wm_page_data *, size_t, FILE *),
                       size_t budget_bytes)
{
    int rc = 0;

    fprintf(page->out, "<script type=\"application/json\" id=\"%s\">", name);
    if (page->collected == NULL)
        fputs("null", page->out);
    else
        rc = print(page->collected, budget_bytes, page->out);
    fputs("</script>\n", page->out);
    return rc;
}

static size_t timeline_budget(size_t report_bytes)
{
    size_t others = report_bytes + LATENESS_BYTES + INSTANCES_BYTES;

    if (others + TIMELINE_BYTES_MIN > ALL_BYTES)
        return TIMELINE_BYTES_MIN;
    return others + TIMELINE_BYTES_MAX > ALL_BYTES ? ALL_BYTES - others : TIMELINE_BYTES_MAX;
}

static int print_data(const struct page *page)
{
    char *report = json_dumps(page->report, JSON_COMPACT | JSON_ENSURE_ASCII); /* its length leaves the timeline's */
    size_t length = report == NULL ? 0 : strlen(report);
    int rc;

    if (report == NULL)
        return -WM_ENOMEM;
    fputs("<script type=\"application/json\" id=\"data-report\">", page->out);
    wm_page_json_print(page->out, report, length);
    fputs("</script>\n", page->out);
    free(report);
    rc = print_block(page, "data-timeline", wm_page_data_print_timeline, timeline_budget(length));
    rc = rc < 0 ? rc : print_block(page, "data-lateness", wm_page_data_print_lateness, LATENESS_BYTES);
    return rc < 0 ? rc : print_block(page, "data-instances", wm_page_data_print_instances, INSTANCES_BYTES);
}

static int print_style(const struct page *page)
{
    fprintf(page->out, "<style>\n%s</style>\n", wm_page_style);
    return 0;
}

static int print_script(const struct page *page)
{
    fprintf(page->out, "<script type=\"module\">\n%s</script>\n", wm_page_script);
    return 0;
}

static const struct {
    const char *line;
    int (*print)(const struct page *);
} parts[] = {
    {"<!--style-->\n", print_style},
    {"<!--data-->\n", print_data},
    {"<!--script-->\n", print_script},
};

static int print_line(const struct page *page, const char *line, size_t length)
{
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (strlen(parts[i].line) == length && memcmp(parts[i].line, line, length) == 0)
            return parts[i].print(page);
    fwrite(line, 1, length, page->out);
    return 0;
}

int wm_report_html_write(FILE *out, const json_t *report, struct wm_page_data *collected, struct wm_error *error)
{
    struct page page = {out, report, collected};
    int rc = 0;

    for (const char *line = wm_page_html, *next; *line != '\0' && rc >= 0; line = next) {
        next = strchr(line, '\n') + 1;
        rc = print_line(&page, line, (size_t)(next - line));
    }
    if (rc < 0)
        return wm_error_set(error, rc, "the page needs more memory than there is");
    if (fflush(out) != 0 || ferror(out))
        return wm_error_set(error, -WM_ETRACE, "the page cannot be written: is the disk full?");
    return 0;
}
