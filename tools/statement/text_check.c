/* What a proof found, as text. */
#include <stdio.h>
#include <string.h>
#include "tools/statement/show.h"
#include "tools/text/units.h"

/* "2-9, 16 ranks" */
static struct wm_text counts_text(const struct wm_rank_counts *counts)
{
    struct wm_text out;

    wm_ranks_text(counts->list, counts->count, out.text, sizeof out.text - sizeof " ranks");
    wm_text_append(out.text, sizeof out.text, counts->count == 1 && counts->list[0] == 1 ? " rank" : " ranks");
    return out;
}

static void print_claim(const struct wm_terminal *t, const struct wm_statement_check *check, enum wm_claim claim)
{
    const struct wm_rank_counts *refuted = &check->refuted[claim];
    char text[2 * WM_ERROR_TEXT_CHARS];

    if (refuted->count == 0) {
        fprintf(t->file, "%s  %s\n", claim == WM_CLAIM_EVALUATION || check->looked.count > 0 ? "proven " : "unknown",
                wm_claim_text(claim));
        return;
    }
    fprintf(t->file, "%sREFUTED%s  %s, with %s\n", wm_terminal_warn(t), wm_terminal_plain(t), wm_claim_text(claim),
            counts_text(refuted).text);
    if (claim == WM_CLAIM_EVALUATION) {
        wm_error_format(&check->first[claim], text, sizeof text);
        fputs(text, t->file);
    } else {
        text[0] = '\0';
        if (refuted->count > 1)
            wm_text_append(text, sizeof text, "with %s: ", wm_number_text((uint64_t)refuted->list[0], "rank").text);
        wm_text_append(text, sizeof text, "%s", check->first[claim].text);
        wm_terminal_wrap(t, "         ", text);
    }
}

void wm_statement_check_print(const struct wm_terminal *t, const struct wm_bound_names *names,
                              const struct wm_statement *s, const struct wm_statement_check *check)
{
    char words[WM_ERROR_TEXT_CHARS];

    wm_names_declared(names, words, sizeof words);
    if (words[0] != '\0')
        wm_terminal_wrap(t, "declared ", words);
    for (int claim = 0; claim < WM_CLAIM_COUNT; claim++)
        if (claim != WM_CLAIM_HINT || s->hint != WM_KNOWLEDGE_UNSAID)
            print_claim(t, check, (enum wm_claim)claim);
    for (int i = 0; i < names->count; i++)
        if (check->last.copied[i].ranks > 0) {
            snprintf(words, sizeof words,
                     "'%s' is both read and stored into at %d of %d ranks (%s at rank %d): its data is copied before "
                     "anything is stored",
                     names->names[i].name, check->last.copied[i].ranks, check->last_ranks, check->last.copied[i].place,
                     check->last.copied[i].rank);
            wm_terminal_wrap(t, "note     ", words);
        }
    if (check->proven.count > 0)
        fprintf(t->file, "\nproven with %s: %s\n", counts_text(&check->proven).text,
                wm_number_text(check->messages, "message").text);
    else
        fprintf(t->file, "\nproven with no number of ranks\n");
}
