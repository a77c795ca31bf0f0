/* Mutated questions, to the map server: tests/fuzz/README.md. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/fuzz/cases.h"
#include "tests/fuzz/json_mutate.h"
#include "tests/fuzz/talk.h"

static struct fuzz_samples samples;
static struct wm_map_server server = {.fd = -1};

/* A server that has read the map. */
static void begin(void)
{
    struct fuzz_text answer = {0};
    enum wm_frame_kind kind;

    fuzz_talk_begin(&server);
    fuzz_talk_send(server.fd, WM_FRAME_OPEN, (uint32_t)samples.questions[0].count, samples.questions[0].bytes,
                   samples.questions[0].count);
    if (fuzz_talk_hear(&server, &kind, &answer) != WM_FRAME_DONE)
        abort();
    fuzz_text_release(&answer);
}

/* What came is an answer, or an error: JSON with what belongs there. */
static const char *judge(enum wm_frame_kind kind, const struct fuzz_text *text)
{
    json_t *reply = json_loadb(text->bytes, text->count, 0, NULL), *error = json_object_get(reply, "error");
    const char *wrong = NULL, *sentence = json_string_value(json_object_get(error, "text"));

    if (kind != WM_FRAME_REPLY && kind != WM_FRAME_LAST)
        wrong = "a frame of another kind";
    else if (!json_is_object(reply))
        wrong = "a reply that is no JSON";
    else if (error != NULL && sentence == NULL)
        wrong = "an error without a sentence";
    else if (kind == WM_FRAME_LAST && error == NULL)
        wrong = "last words without an error";
    else if (sentence != NULL && strstr(sentence, "crashed (") != NULL)
        wrong = "a crash by its own word";
    json_decref(reply);
    return wrong;
}

/* A limit of 0 is none, and long ones are as bad for who waits. */
static void limit(struct fuzz_text *question)
{
    json_t *value = json_loadb(question->bytes, question->count, JSON_ALLOW_NUL, NULL);
    char *words;

    if (json_is_integer(json_object_get(value, "limit_ms"))) {
        json_object_set_new(value, "limit_ms", json_integer(1000));
        words = json_dumps(value, JSON_COMPACT);
        fuzz_text_splice(question, 0, question->count, words, strlen(words));
        free(words);
    }
    json_decref(value);
}

/* One question; the server may end if its words say why, or the frame is none. */
static const char *ask(uint32_t kind, const struct fuzz_text *question, bool whole)
{
    struct fuzz_text answer = {0};
    enum wm_frame_kind came = WM_FRAME_REPLY;
    enum wm_frame_state state;
    const char *wrong = NULL;

    if (!whole) {
        fuzz_talk_send(server.fd, kind, UINT32_MAX, question->bytes, question->count);
    } else {
        fuzz_talk_send(server.fd, kind, (uint32_t)question->count, question->bytes, question->count);
    }
    state = fuzz_talk_hear(&server, &came, &answer);
    if (state == WM_FRAME_DONE)
        wrong = judge(came, &answer);
    else if (state == WM_FRAME_LATE)
        wrong = "a hang";
    else if (whole || state == WM_FRAME_BROKEN)
        wrong = "a server that ended without a word";
    if (state != WM_FRAME_DONE || came == WM_FRAME_LAST)
        wm_map_server_drop(&server);
    fuzz_text_release(&answer);
    return wrong;
}

static const char *run_case(uint64_t seed, struct fuzz_text *tried)
{
    static const uint32_t kinds[] = {'O', 'A', 'P', 'R', 'L', 0, UINT32_MAX};
    struct fuzz_random random = {seed};
    int which;
    uint32_t kind;

    fuzz_next(&random);
    which = (int)fuzz_below(&random, (size_t)samples.count);
    kind = samples.kinds[which];
    fuzz_text_add(tried, samples.questions[which].bytes, samples.questions[which].count);
    fuzz_json_mutate(tried, &random);
    limit(tried);
    if (fuzz_chance(&random, 5))
        kind = FUZZ_PICK(&random, kinds);
    if (server.fd < 0)
        begin();
    return ask(kind, tried, !fuzz_chance(&random, 1));
}

int main(int argc, char **argv)
{
    const char *srcdir = getenv("srcdir");
    char map[4096];

    snprintf(map, sizeof map, "%s/tests/fuzz/protocol.scm", srcdir != NULL ? srcdir : ".");
    fuzz_talk_samples(&samples, map);
    return fuzz_cases_main("fuzz_questions", argc, argv, run_case);
}
