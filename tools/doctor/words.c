/* Words: a case as text. */
#include "tools/doctor/words.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "core/error.h"
#include "tools/doctor/waits.h"
#include "tools/text/units.h"

enum { LINE_CHARS = 400, RANK_CHARS = WM_WORDS_RANK_CHARS, SHOWN_MESSAGES = 3 };

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

void wm_words_ranks(const json_t *list, char *out)
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

struct offset_text {
    char text[64];
};

static struct offset_text offset_text(json_int_t offset)
{
    struct offset_text out;

    if (offset == 1 || offset == -1)
        snprintf(out.text, sizeof out.text, "the %s rank", offset == 1 ? "next" : "previous");
    else if (offset == 0)
        snprintf(out.text, sizeof out.text, "itself");
    else
        snprintf(out.text, sizeof out.text, "the rank %lld %s", (long long)llabs(offset),
                 offset > 0 ? "further on" : "before");
    return out;
}

/* "to the next rank", "from rank 3", "from any rank". `many`: of several ranks. */
static void name_peer(const json_t *message, bool many, char *out, size_t room)
{
    const json_t *peer = json_object_get(message, "peer"), *offset = json_object_get(message, "offset");
    const char *direction = string_of(message, "direction");

    if (peer == NULL && offset == NULL)
        snprintf(out, room, "%s any rank", direction);
    else if (!many && peer != NULL)
        snprintf(out, room, "%s rank %lld", direction, (long long)json_integer_value(peer));
    else
        snprintf(out, room, "%s %s", direction, offset_text(json_integer_value(offset)).text);
}

static void describe_collective(const json_t *call, char *out, size_t room);

/* "1 MiB to rank 3, tag 7, on 'row'". */
static void describe_message(const json_t *message, bool many, char *out, size_t room)
{
    char peer[RANK_CHARS], communicator[RANK_CHARS], text[LINE_CHARS / 2 - 4];

    if (strcmp(string_of(message, "direction"), "collective") == 0) {
        describe_collective(message, text, sizeof text);
        snprintf(out, room, "for %s", text);
        return;
    }
    name_peer(message, many, peer, sizeof peer);
    out[0] = '\0';
    if (json_object_get(message, "bytes") != NULL)
        snprintf(out, room, "%s ", wm_bytes_text((uint64_t)number_of(message, "bytes")).text);
    wm_text_append(out, room, "%s", peer);
    if (json_object_get(message, "tag") != NULL)
        wm_text_append(out, room, ", tag %lld", (long long)number_of(message, "tag"));
    name_communicator(message, communicator);
    if (!is_world(string_of(message, "communicator")))
        wm_text_append(out, room, ",%s", communicator);
}

/* "MPI_Recv from rank 3, tag 7", "MPI_Waitall of 4 requests: …". */
static void describe_wait(const json_t *call, bool many, char *out, size_t room)
{
    const json_t *messages = json_object_get(call, "messages");
    json_int_t requests = number_of(call, "requests");
    char text[LINE_CHARS / 2];
    int shown = 0;
    size_t index;
    json_t *message;

    snprintf(out, room, "%s", string_of(call, "function"));
    if (requests > 1)
        wm_text_append(out, room, " for %s %lld requests",
                       json_is_true(json_object_get(call, "any")) ? "one of" : "all of", (long long)requests);
    json_array_foreach (messages, index, message) {
        if (requests > 1 && json_is_false(json_object_get(message, "waits")))
            continue;
        if (shown == SHOWN_MESSAGES) {
            wm_text_append(out, room, "; …");
            break;
        }
        describe_message(message, many, text, sizeof text);
        wm_text_append(out, room, "%s%s", shown++ > 0 ? "; " : requests > 1 ? ": " : " ", text);
    }
}

/* "MPI_Allreduce, call 40 on 'row' (step.c:10)". */
static void describe_collective(const json_t *call, char *out, size_t room)
{
    char communicator[RANK_CHARS];

    name_communicator(call, communicator);
    snprintf(out, room, "%s, call %lld%s", string_of(call, "function"), (long long)number_of(call, "call"),
             communicator);
    if (string_of(call, "site")[0] != '\0')
        wm_text_append(out, room, " (%s)", string_of(call, "site"));
}

static void describe_call(const json_t *call, bool many, char *out, size_t room)
{
    if (json_object_get(call, "messages") == NULL) {
        describe_collective(call, out, room);
        return;
    }
    describe_wait(call, many, out, room);
    if (string_of(call, "site")[0] != '\0')
        wm_text_append(out, room, " (%s)", string_of(call, "site"));
}

/* The call of a class of ranks; or how many classes those are that are not told apart. */
static void describe_class(const json_t *class, char *out, size_t room)
{
    const json_t *classes = json_object_get(class, "classes");

    if (classes != NULL)
        snprintf(out, room, "%lld other calls", (long long)json_integer_value(classes));
    else
        describe_call(json_object_get(class, "call"), json_array_size(json_object_get(class, "ranks")) > 1, out, room);
}

/* --- Mismatches --- */

static void print_party(struct paper *paper, const json_t *party)
{
    const json_t *call = json_object_get(party, "call");
    char ranks[RANK_CHARS], arguments[LINE_CHARS / 2], line[LINE_CHARS];

    wm_words_ranks(json_object_get(party, "ranks"), ranks);
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
    describe_call(in != NULL ? in : after, false, call, sizeof call);
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

    wm_words_ranks(json_object_get(missing, "ranks"), ranks);
    if (in != NULL || after != NULL)
        describe_call(in != NULL ? in : after, !one, call, sizeof call);
    if (strcmp(standing, "left") == 0)
        snprintf(line, sizeof line, "  %-16s %s in MPI_Finalize, and never %s", ranks, one ? "is" : "are",
                 one ? "comes" : "come");
    else if (strcmp(standing, "gone") == 0)
        snprintf(line, sizeof line, "  %-16s %s gone", ranks, one ? "is" : "are");
    else if (in != NULL)
        snprintf(line, sizeof line, "  %-16s %s in %s", ranks, process[0] != '\0' ? process : one ? "is" : "are", call);
    else
        snprintf(line, sizeof line, "  %-16s %s%s%s", ranks,
                 process[0] != '\0' ? process : "is outside of MPI's collectives",
                 after != NULL ? "; has left " : "; has made no collective call", call);
    say(paper, line);
}

static bool is_of_messages(const json_t *wait)
{
    return json_object_get(json_object_get(wait, "call"), "messages") != NULL;
}

/* What its peer has sent, and it has not received, may be what it waits for. */
static void print_underway(struct paper *paper, const json_t *wait)
{
    bool any = false;
    size_t index;
    json_t *message;

    json_array_foreach (json_object_get(json_object_get(wait, "call"), "messages"), index, message) {
        any = any || number_of(message, "underway") > 0;
    }
    if (any)
        say(paper, "  messages that were sent to it are underway, or it does not take them: other tags, another order");
}

/* "missing is message 3, 64 KiB, rank 4 -> 0, of (allreduce node), mine.scm:9:12". */
static void print_steps(struct paper *paper, const json_t *wait)
{
    char line[LINE_CHARS];
    size_t index;
    json_t *step;

    json_array_foreach (json_object_get(wait, "steps"), index, step) {
        bool sends = strcmp(string_of(step, "direction"), "to") == 0;
        json_int_t rank = number_of(step, "rank"), peer = number_of(step, "peer");

        if (json_object_get(step, "peer") == NULL)
            snprintf(line, sizeof line, "  rank %lld waits in the node's memory", (long long)rank);
        else
            snprintf(line, sizeof line, "  missing is message %lld, %s, rank %lld -> %lld",
                     (long long)number_of(step, "message"), wm_bytes_text((uint64_t)number_of(step, "bytes")).text,
                     (long long)(sends ? rank : peer), (long long)(sends ? peer : rank));
        if (string_of(step, "wrapper")[0] != '\0')
            wm_text_append(line, sizeof line, ", of %s", string_of(step, "wrapper"));
        say(paper, line);
    }
}

static void print_inside(struct paper *paper, const json_t *wait)
{
    char ranks[RANK_CHARS], line[LINE_CHARS];
    size_t index;
    json_t *inside;

    json_array_foreach (json_object_get(wait, "inside"), index, inside) {
        wm_words_ranks(json_object_get(inside, "ranks"), ranks);
        snprintf(line, sizeof line, "  %-16s %s in it", ranks, string_of(inside, "process"));
        say(paper, line);
    }
}

static void print_wait(struct paper *paper, const json_t *wait, const char *word)
{
    const json_t *missing = json_object_get(wait, "missing"), *seconds = json_object_get(wait, "seconds");
    bool one = json_array_size(json_object_get(wait, "ranks")) == 1;
    char ranks[RANK_CHARS], call[LINE_CHARS / 2], line[LINE_CHARS];
    size_t index;
    json_t *item;

    wm_words_ranks(json_object_get(wait, "ranks"), ranks);
    describe_class(wait, call, sizeof call);
    snprintf(line, sizeof line, "%s: %s wait%s in %s", word, ranks, one ? "s" : "", call);
    if (seconds != NULL)
        wm_text_append(line, sizeof line, ", for %lld s", (long long)json_integer_value(seconds));
    if (json_is_true(json_object_get(wait, "proven")))
        wm_text_append(line, sizeof line, ": proven");
    say(paper, line);
    if (json_object_get(wait, "classes") != NULL)
        return;
    json_array_foreach (missing, index, item) {
        print_missing(paper, item);
    }
    print_underway(paper, wait);
    if (json_array_size(missing) == 0 && number_of(wait, "unseen") == 0 && !is_of_messages(wait))
        say(paper, "  all ranks came: it is under way, or the messages inside of it are stuck");
    print_inside(paper, wait);
    if (json_array_size(missing) == 0)
        print_steps(paper, wait);
    if (number_of(wait, "unseen") > 0) {
        snprintf(line, sizeof line, "  %lld of its ranks cannot be seen from here",
                 (long long)number_of(wait, "unseen"));
        say(paper, line);
    }
}

/* --- Circles --- */

enum { ARROWS = 8, SHOWN_CIRCLES = 10 };

/* "ranks 0 -> 1 -> 2 -> 0 wait for each other". */
static void name_circle(const json_t *ranks, char *out, size_t room)
{
    size_t count = json_array_size(ranks);
    char text[RANK_CHARS];

    out[0] = '\0';
    if (count == 1)
        snprintf(out, room, "rank %lld waits for itself", (long long)json_integer_value(json_array_get(ranks, 0)));
    else if (count > ARROWS) {
        wm_words_ranks(ranks, text);
        snprintf(out, room, "%s wait for each other, in a circle", text);
    } else {
        snprintf(out, room, "ranks ");
        for (size_t i = 0; i <= count; i++)
            wm_text_append(out, room, "%s%lld", i > 0 ? " -> " : "",
                           (long long)json_integer_value(json_array_get(ranks, i % count)));
        wm_text_append(out, room, " wait for each other");
    }
}

/* All of them wait in a send that is over when its receive has come. */
static bool is_of_sends(const json_t *circle)
{
    size_t index;
    json_t *wait;

    json_array_foreach (json_object_get(circle, "waits"), index, wait) {
        const char *function = string_of(json_object_get(wait, "call"), "function");

        if (strcmp(function, "MPI_Send") != 0 && strcmp(function, "MPI_Ssend") != 0)
            return false;
    }
    return true;
}

static void print_circle(struct paper *paper, const json_t *circle)
{
    char ranks[LINE_CHARS / 2], call[LINE_CHARS / 2], line[LINE_CHARS + 8];
    size_t index;
    json_t *wait;

    name_circle(json_object_get(circle, "ranks"), ranks, sizeof ranks);
    snprintf(line, sizeof line, "deadlock: %s: proven", ranks);
    say(paper, line);
    json_array_foreach (json_object_get(circle, "waits"), index, wait) {
        wm_words_ranks(json_object_get(wait, "ranks"), ranks);
        describe_class(wait, call, sizeof call);
        snprintf(line, sizeof line, "  %-16s %s", ranks, call);
        say(paper, line);
    }
    if (is_of_sends(circle))
        say(paper, "  of this size such a send waits for its receive: MPI_Sendrecv, or receive first");
}

static void print_circles(struct paper *paper, const json_t *object)
{
    const json_t *circles = json_object_get(object, "circles");
    char line[LINE_CHARS];
    size_t index;
    json_t *circle;

    json_array_foreach (circles, index, circle) {
        if (index < SHOWN_CIRCLES)
            print_circle(paper, circle);
    }
    if (index > SHOWN_CIRCLES) {
        snprintf(line, sizeof line, "and %zu more such circles%s", index - SHOWN_CIRCLES,
                 index == WM_WAITS_CIRCLES ? " at least" : "");
        say(paper, line);
    }
}

/* What is proven, and has no cause that stands above already; or all, where nothing is. */
static bool is_worth_it(const json_t *wait, const char *verdict)
{
    bool proven = json_is_true(json_object_get(wait, "proven"));

    if (strcmp(verdict, "explained") == 0 || strcmp(verdict, "unknown") == 0)
        return true;
    return proven && !json_is_true(json_object_get(wait, "mismatched")) &&
           !json_is_true(json_object_get(wait, "circle"));
}

static const char *word_for(const json_t *wait, const char *verdict)
{
    size_t index;
    json_t *missing;

    json_array_foreach (json_object_get(wait, "missing"), index, missing) {
        if (strcmp(string_of(missing, "standing"), "left") == 0)
            return "mismatch";
    }
    if (strcmp(verdict, "dead") == 0 || json_is_true(json_object_get(wait, "behind")))
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
    json_array_foreach (json_object_get(object, "flaws"), index, item) {
        say(&paper, string_of(item, "text"));
    }
    json_array_foreach (json_object_get(object, "gone"), index, item) {
        print_gone(&paper, item);
    }
    print_circles(&paper, object);
    print_waits(&paper, object, verdict);
    if (strcmp(verdict, "well") == 0)
        print_well(&paper, object);
    if (paper.left_out > 0)
        fprintf(out, "… and %d more lines: --format json has all\n", paper.left_out);
}
