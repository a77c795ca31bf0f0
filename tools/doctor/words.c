/* Words: a case as text. */
#include "tools/doctor/words.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "core/error.h"
#include "tools/text/units.h"

enum { LINE_CHARS = 400, RANK_CHARS = 96 };

/* What is printed, up to so many lines. */
struct paper {
    FILE *out;
    int lines, left_out;
};

static void say(struct paper *paper, const char *line)
{
    if (paper->lines >= WM_WORDS_LINES - 1)
        paper->left_out++;
    else
        fprintf(paper->out, "%s\n", line);
    paper->lines++;
}

static const char *string_of(const json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));

    return value != NULL ? value : "";
}

static json_int_t number_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

/* "rank 4", "ranks 0-3, 5". */
static void name_ranks(const json_t *list, char *out)
{
    int count = (int)json_array_size(list), *ranks = calloc((size_t)count + 1, sizeof *ranks);
    char numbers[RANK_CHARS - 8] = "";

    for (int i = 0; ranks != NULL && i < count; i++)
        ranks[i] = (int)json_integer_value(json_array_get(list, (size_t)i));
    if (ranks != NULL)
        wm_ranks_text(ranks, count, numbers, sizeof numbers);
    free(ranks);
    snprintf(out, RANK_CHARS, "rank%s %s", count == 1 ? "" : "s", numbers);
}

static bool is_world(const char *name)
{
    return strcmp(name, "MPI_COMM_WORLD") == 0;
}

/* " on MPI_COMM_WORLD", " on 'row'". */
static void name_communicator(const json_t *object, char *out)
{
    const char *name = string_of(object, "communicator");

    snprintf(out, RANK_CHARS, is_world(name) ? " on %s" : name[0] != '\0' ? " on '%s'" : " on a communicator", name);
}

/* "root 0, sum, 1024 MPI_DOUBLE". */
static void describe_arguments(const json_t *call, char *out, size_t room)
{
    const char *type = string_of(call, "type"), *operator= string_of(call, "operator");

    out[0] = '\0';
    if (json_object_get(call, "root") != NULL)
        wm_text_append(out, room, "root %lld, ", (long long)number_of(call, "root"));
    if (operator[0] != '\0')
        wm_text_append(out, room, "%s, ", operator);
    if (json_object_get(call, "count") != NULL && type[0] != '\0')
        wm_text_append(out, room, "%lld %s, ", (long long)number_of(call, "count"), type);
    else if (json_object_get(call, "count") != NULL)
        wm_text_append(out, room, "%lld of a derived type, %s, ", (long long)number_of(call, "count"),
                       wm_bytes_text((uint64_t)number_of(call, "bytes")).text);
    if (out[0] != '\0')
        out[strlen(out) - 2] = '\0';
}

/* "MPI_Allreduce, call 40 on 'row' (step.c:10)". */
static void describe_call(const json_t *call, char *out, size_t room)
{
    char communicator[RANK_CHARS];

    name_communicator(call, communicator);
    snprintf(out, room, "%s, call %lld%s", string_of(call, "function"), (long long)number_of(call, "call"),
             communicator);
    if (string_of(call, "site")[0] != '\0')
        wm_text_append(out, room, " (%s)", string_of(call, "site"));
}

/* --- Mismatches --- */

static void print_party(struct paper *paper, const json_t *party)
{
    const json_t *call = json_object_get(party, "call");
    char ranks[RANK_CHARS], arguments[LINE_CHARS / 2], line[LINE_CHARS];

    name_ranks(json_object_get(party, "ranks"), ranks);
    if (!json_is_true(json_object_get(party, "came")))
        snprintf(line, sizeof line, "  %-16s has made no such call so far", ranks);
    else if (call == NULL)
        snprintf(line, sizeof line, "  %-16s another call, which is not known any more", ranks);
    else {
        describe_arguments(call, arguments, sizeof arguments);
        snprintf(line, sizeof line, "  %-16s %-16s %-32s %s", ranks, string_of(call, "function"), arguments,
                 string_of(call, "site"));
    }
    line[strcspn(line, "\n")] = '\0';
    for (size_t end = strlen(line); end > 0 && line[end - 1] == ' '; end--)
        line[end - 1] = '\0';
    say(paper, line);
}

static void print_mismatch(struct paper *paper, const json_t *mismatch)
{
    char communicator[RANK_CHARS], line[LINE_CHARS];
    size_t index;
    json_t *party;

    name_communicator(mismatch, communicator);
    snprintf(line, sizeof line, "mismatch: call %lld%s%s (%lld ranks) is not the same on all ranks%s",
             (long long)number_of(mismatch, "call"),
             json_is_true(json_object_get(mismatch, "exact")) ? "" : " or later", communicator,
             (long long)number_of(mismatch, "size"),
             json_is_true(json_object_get(mismatch, "same_bytes")) ? ": as many bytes, of other types" : "");
    say(paper, line);
    json_array_foreach (json_object_get(mismatch, "parties"), index, party) {
        print_party(paper, party);
    }
}

/* --- Ranks that are gone --- */

static void print_gone(struct paper *paper, const json_t *gone)
{
    const json_t *in = json_object_get(gone, "in"), *after = json_object_get(gone, "after");
    char call[LINE_CHARS / 2], line[LINE_CHARS];

    snprintf(line, sizeof line, "dead: rank %lld (%s, pid %lld) is gone", (long long)number_of(gone, "rank"),
             string_of(gone, "host"), (long long)number_of(gone, "pid"));
    say(paper, line);
    if (in == NULL && after == NULL)
        return;
    describe_call(in != NULL ? in : after, call, sizeof call);
    snprintf(line, sizeof line, "  %s %s", in != NULL ? "it was in" : "outside of MPI's collectives, after", call);
    say(paper, line);
}

/* --- Waits --- */

static void print_missing(struct paper *paper, const json_t *missing)
{
    const char *standing = string_of(missing, "standing"), *process = string_of(missing, "process");
    const json_t *in = json_object_get(missing, "in"), *after = json_object_get(missing, "after");
    char ranks[RANK_CHARS], call[LINE_CHARS / 2] = "", line[LINE_CHARS];
    bool one = json_array_size(json_object_get(missing, "ranks")) == 1;

    name_ranks(json_object_get(missing, "ranks"), ranks);
    if (in != NULL || after != NULL)
        describe_call(in != NULL ? in : after, call, sizeof call);
    if (strcmp(standing, "left") == 0)
        snprintf(line, sizeof line, "  %-16s %s in MPI_Finalize, and never %s", ranks, one ? "is" : "are",
                 one ? "comes" : "come");
    else if (strcmp(standing, "gone") == 0)
        snprintf(line, sizeof line, "  %-16s %s gone", ranks, one ? "is" : "are");
    else if (in != NULL)
        snprintf(line, sizeof line, "  %-16s %s in %s", ranks, one ? "is" : "are", call);
    else
        snprintf(line, sizeof line, "  %-16s %s%s%s", ranks,
                 process[0] != '\0' ? process : "is outside of MPI's collectives",
                 after != NULL ? "; has left " : "; has made no collective call", call);
    say(paper, line);
}

static void print_wait(struct paper *paper, const json_t *wait, const char *word)
{
    const json_t *missing = json_object_get(wait, "missing"), *seconds = json_object_get(wait, "seconds");
    char ranks[RANK_CHARS], call[LINE_CHARS / 2], line[LINE_CHARS];
    size_t index;
    json_t *item;

    name_ranks(json_object_get(wait, "ranks"), ranks);
    describe_call(json_object_get(wait, "call"), call, sizeof call);
    snprintf(line, sizeof line, "%s: %s wait%s in %s", word, ranks,
             json_array_size(json_object_get(wait, "ranks")) == 1 ? "s" : "", call);
    if (seconds != NULL)
        wm_text_append(line, sizeof line, ", for %lld s", (long long)json_integer_value(seconds));
    if (json_is_true(json_object_get(wait, "proven")))
        wm_text_append(line, sizeof line, ": proven");
    say(paper, line);
    json_array_foreach (missing, index, item) {
        print_missing(paper, item);
    }
    if (json_array_size(missing) == 0 && number_of(wait, "unseen") == 0)
        say(paper, "  all ranks came: it is under way, or the messages inside of it are stuck");
    if (number_of(wait, "unseen") > 0) {
        snprintf(line, sizeof line, "  %lld of its ranks cannot be seen from here",
                 (long long)number_of(wait, "unseen"));
        say(paper, line);
    }
}

/* What is proven, and has no cause that stands above already; or all, where nothing is. */
static bool is_worth_it(const json_t *wait, const char *verdict)
{
    bool proven = json_is_true(json_object_get(wait, "proven"));

    if (strcmp(verdict, "explained") == 0 || strcmp(verdict, "unknown") == 0)
        return true;
    return proven && !json_is_true(json_object_get(wait, "mismatched"));
}

static const char *word_for(const json_t *wait, const char *verdict)
{
    size_t index;
    json_t *missing;

    json_array_foreach (json_object_get(wait, "missing"), index, missing) {
        if (strcmp(string_of(missing, "standing"), "left") == 0)
            return "mismatch";
    }
    if (strcmp(verdict, "dead") == 0)
        return "waiting";
    return json_is_true(json_object_get(wait, "proven")) ? "deadlock" : "hang";
}

static void print_waits(struct paper *paper, const json_t *object, const char *verdict)
{
    size_t index;
    json_t *wait;

    json_array_foreach (json_object_get(object, "waits"), index, wait) {
        if (is_worth_it(wait, verdict))
            print_wait(paper, wait, word_for(wait, verdict));
    }
}

static void print_well(struct paper *paper, const json_t *object)
{
    char line[LINE_CHARS];

    snprintf(line, sizeof line, "well: %s of %lld; no collective call that does not match, and nobody waits for ever",
             wm_number_text((uint64_t)number_of(object, "seen"), "page").text, (long long)number_of(object, "ranks"));
    say(paper, line);
}

void wm_words_print(FILE *out, const json_t *object)
{
    struct paper paper = {.out = out};
    const char *verdict = string_of(object, "verdict");
    size_t index;
    json_t *item;

    json_array_foreach (json_object_get(object, "mismatches"), index, item) {
        print_mismatch(&paper, item);
    }
    json_array_foreach (json_object_get(object, "gone"), index, item) {
        print_gone(&paper, item);
    }
    print_waits(&paper, object, verdict);
    if (strcmp(verdict, "well") == 0)
        print_well(&paper, object);
    if (paper.left_out > 0)
        fprintf(out, "… and %d more lines: --format json has all\n", paper.left_out);
}
