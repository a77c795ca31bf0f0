/* Talking to a map server frame by frame. */
#include "tests/fuzz/talk.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include "core/map/map.h"
#include "core/path/facts.h"

enum { HEAR_SECONDS = 30 };

static void give_up(const char *words)
{
    fprintf(stderr, "fuzz: %s\n", words);
    exit(99);
}

void fuzz_talk_begin(struct wm_map_server *server)
{
    const char *libexec = getenv("WAYMARK_LIBEXEC");
    struct wm_map_vigil vigil;
    struct wm_error error;
    struct fuzz_text text = {0};
    enum wm_frame_kind kind;
    char file[4096];

    *server = (struct wm_map_server){.fd = -1};
    snprintf(file, sizeof file, "%s/waymark-map-server", libexec != NULL ? libexec : ".");
    wm_map_vigil_begin(&vigil, server, WM_MAP_START_MS, HEAR_SECONDS * 1000);
    if (wm_map_server_start(server, file, &vigil, &error) < 0)
        give_up(error.text);
    if (fuzz_talk_hear(server, &kind, &text) != WM_FRAME_DONE || kind != WM_FRAME_READY)
        give_up("the map server does not say that it is ready");
    fuzz_text_release(&text);
}

enum wm_frame_state fuzz_talk_hear(const struct wm_map_server *server, enum wm_frame_kind *kind, struct fuzz_text *text)
{
    struct wm_frame_wait wait = {.deadline_ns = wm_frame_now() + HEAR_SECONDS * INT64_C(1000000000)};
    enum wm_frame_state state;
    char *payload;
    size_t bytes = 0;

    state = wm_frame_receive(server->fd, kind, &payload, &bytes, &wait);
    fuzz_text_add(text, payload != NULL ? payload : "", bytes);
    free(payload);
    return state;
}

void fuzz_talk_send(int fd, uint32_t kind, uint32_t length, const char *bytes, size_t count)
{
    struct fuzz_text frame = {0};
    ssize_t sent;

    fuzz_text_add(&frame, (const char *)&kind, sizeof kind);
    fuzz_text_add(&frame, (const char *)&length, sizeof length);
    fuzz_text_add(&frame, bytes, count);
    for (size_t at = 0; at < frame.count; at += (size_t)sent)
        if ((sent = send(fd, frame.bytes + at, frame.count - at, MSG_NOSIGNAL)) <= 0)
            break;
    fuzz_text_release(&frame);
}

static void add_question(struct fuzz_samples *samples, enum wm_frame_kind kind, json_t *question)
{
    char *words = json_dumps(question, JSON_COMPACT);

    samples->kinds[samples->count] = kind;
    fuzz_text_print(&samples->questions[samples->count++], "%s", words);
    free(words);
    json_decref(question);
}

static void add_call(struct fuzz_samples *samples, enum wm_operation operation, bool explain)
{
    struct wm_facts facts = {.operation = operation,
                             .bytes = 64,
                             .root = operation == WM_BCAST ? 0 : -1,
                             .commutative = operation != WM_ALLREDUCE,
                             .ranks = 8,
                             .nodes = 2,
                             .clusters = 1,
                             .uniform = true,
                             .consecutive = true,
                             .communicator = "MPI_COMM_WORLD"};

    add_question(samples, WM_FRAME_ASK,
                 json_pack("{s:o,s:b}", "facts", wm_facts_write(&facts), "explain", (int)explain));
}

void fuzz_talk_samples(struct fuzz_samples *samples, const char *map_file)
{
    struct wm_map_server server;
    struct fuzz_text map = {0};
    enum wm_frame_kind kind;

    *samples = (struct fuzz_samples){0};
    if (fuzz_text_read(&map, map_file) < 0)
        give_up("protocol.scm cannot be read");
    add_question(
        samples, WM_FRAME_OPEN,
        json_pack("{s:s,s:s,s:i,s:i}", "file", "map.scm", "text", map.bytes, "limit_ms", 1000, "first_procedure", 0));
    fuzz_text_release(&map);
    add_call(samples, WM_BCAST, true);
    add_call(samples, WM_BCAST, false);
    add_call(samples, WM_CONVEYOR, true);
    add_call(samples, WM_ALLREDUCE, true);
    add_call(samples, WM_SCAN, true);
    add_question(samples, WM_FRAME_PARENTS, json_pack("{s:i,s:i}", "procedure", 0, "size", 4));
    add_question(samples, WM_FRAME_PARENTS, json_pack("{s:i,s:i}", "procedure", 77, "size", 4)); /* an error */
    fuzz_talk_begin(&server);
    for (int i = 0; i < samples->count; i++) {
        const struct fuzz_text *question = &samples->questions[i];

        fuzz_talk_send(server.fd, samples->kinds[i], (uint32_t)question->count, question->bytes, question->count);
        if (fuzz_talk_hear(&server, &kind, &samples->answers[i]) != WM_FRAME_DONE || kind != WM_FRAME_REPLY)
            give_up("the map server does not answer");
    }
    wm_map_server_drop(&server);
}
