/* Talking to a map server frame by frame. */
#ifndef WM_TESTS_FUZZ_TALK_H
#define WM_TESTS_FUZZ_TALK_H

#include "core/map/launch.h"
#include "tests/fuzz/random.h"
#include "tests/fuzz/text.h"

enum { FUZZ_SAMPLES_MAX = 16 };

/* Questions, and what the server says to them when it has read the map protocol.scm: of the same number. */
struct fuzz_samples {
    int count;
    enum wm_frame_kind kinds[FUZZ_SAMPLES_MAX];
    struct fuzz_text questions[FUZZ_SAMPLES_MAX], answers[FUZZ_SAMPLES_MAX];
};

/* Start the built tree's server and take its HELLO and READY; ends the process when it cannot be had. */
void fuzz_talk_begin(struct wm_map_server *server);

/* Receive a frame; its text is added. */
enum wm_frame_state fuzz_talk_hear(const struct wm_map_server *server, enum wm_frame_kind *kind,
                                   struct fuzz_text *text);

/* Ask a server for all samples; the first is OPEN. */
void fuzz_talk_samples(struct fuzz_samples *samples, const char *map_file);

/* Send a frame as its header says: `count` bytes of `length` alone may follow. */
void fuzz_talk_send(int fd, uint32_t kind, uint32_t length, const char *bytes, size_t count);

#endif
