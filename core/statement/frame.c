/* A rank while it evaluates: its lanes, and what is said of a fault. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include "core/statement/evaluate.h"

void wm_frame_append_variables(const struct wm_frame *f, uint32_t variables, char *out, size_t out_bytes)
{
    const char *before = ", where ";

    for (int i = 0; i < f->s->variable_count; i++) {
        const struct wm_variable *v = &f->s->variables[i];

        if ((variables >> i & 1) == 0)
            continue;
        wm_text_append(out, out_bytes, "%s%.*s = ", before, (int)v->bytes, v->name);
        if (v->number == WM_FLOAT || v->number == WM_DOUBLE)
            wm_text_append(out, out_bytes, "%g", v->number == WM_FLOAT ? (double)f->variables[i].f : f->variables[i].d);
        else
            wm_text_append(out, out_bytes, v->number == WM_UINT64 ? "%" PRIu64 : "%" PRId64, f->variables[i].i);
        before = ", ";
    }
}

void wm_frame_fault(struct wm_frame *f, int term, const char *format, ...)
{
    char sentence[WM_ERROR_TEXT_CHARS / 2];
    va_list arguments;

    if (f->rc != 0)
        return;
    f->rc = -WM_EINVAL;
    if (f->error == NULL)
        return;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    wm_frame_append_variables(f, f->s->terms[term].variables, sentence, sizeof sentence);
    wm_statement_fault(f->error, f->s->text, f->s->terms[term].place, "%s", sentence);
}

void wm_frame_each(struct wm_frame *f, int lanes, uint32_t varying, union wm_scalar columns[][WM_VALUE_LANES],
                   void (*work)(struct wm_frame *f, void *with), void *with)
{
    struct wm_error *error = f->error;

    if (lanes > 1) {
        f->varying = varying;
        f->lanes = lanes;
        f->columns = columns;
        f->error = NULL;
        work(f, with);
        f->varying = 0;
        f->lanes = 1;
        f->error = error;
        if (f->rc == -WM_ENOMEM)
            wm_error_set(error, f->rc, "out of memory");
        if (f->rc != -WM_EINVAL)
            return;
        f->rc = 0;
    }
    for (int lane = 0; lane < lanes && f->rc == 0; lane++) {
        for (int v = 0; v < f->s->variable_count; v++)
            if ((varying >> v & 1) != 0)
                f->variables[v] = columns[v][lane];
        work(f, with);
    }
}
