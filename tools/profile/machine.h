/* A machine's profile: what messages, shared steps, kernels and the engine cost there; written by `waymark profile`,
 * read by `predict` and its kin. One JSON file.
 *
 * A profile is a list of rows. A row belongs to a section, has keys, and a value of each parameter of its section. All
 * is said once, in the tables below: reader, writer and documentation follow. Values are whole numbers in the
 * parameter's unit, picoseconds for times, femtoseconds a byte for rates, so that sums are exact and predictions
 * repeat bit for bit. Each value has an interval, how many samples it rests on, the probe, and where it comes from.
 *
 * How parameters make a time. A message of s bytes between ranks whose places first differ on axis `level`, by `net`,
 * takes the `messages` row of that level and net with the least up_to that s does not exceed (0: any size). Of a level
 * without rows serve those of "core" within a node, of "node" between nodes, and of "*". Up to `eager` bytes:
 *   the sender's core is busy for      send + send_byte * s;
 *   then the message flows             byte * s, longer where links are shared (hosts, cuts), `gap` after the last one;
 *   its last byte lands                latency  after it left;
 *   the receiver's core is busy for    poll + receive + receive_byte * s, and posted * other receives that wait there.
 * So half the round trip of a ping-pong is the sum of these, and a step of the engine. A message that lands before its
 * receive is posted costs the receiver unexpected_byte * s more, but no poll. One that lands while
 * its receiver's last message, to its sender, has left and not landed costs the receiver `cross` more. Above
 * `eager` bytes it is a rendezvous: the sender is busy for `send`; the request lands `latency` later, and costs the
 * receiver's core a poll once the receive is posted; `handshake` later the data flow, while both cores push: byte * s,
 * or the sum of send_byte and receive_byte of all that the busier of the two ranks has under way; latency and receive
 * follow. So the rate of a ping-pong is the largest of byte, send_byte and receive_byte, that of two ranks who send to
 * each other at once the larger of byte and send_byte + receive_byte. A shared step ends at a member `call + byte * s`
 * after the last arrival that it depends on; s: bytes of the whole block. `order` says what a member costs beyond those
 * of the row where no row has so many members. Where a host has more ranks than `cores`, each of these goes to another
 * rank `yield` after the one that has it has nothing to do (tools/predict/crowd.h).
 *
 * Conveyors (tools/predict/conveyor.h says how these make a time). Sizes between those of two rows of `items` or
 * `buffers` cost in proportion. Items of a size whose copy the header inlines are of the kind "inlined", all others of
 * "copied"; their net is that of the link that they are written to. Rings in memory are cut into pieces, which cost as
 * buffers of any size. */
#ifndef WM_TOOLS_MACHINE_H
#define WM_TOOLS_MACHINE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include "core/error.h"

enum wm_profile_unit { WM_UNIT_PS, WM_UNIT_FS_PER_BYTE, WM_UNIT_BYTES, WM_UNIT_COUNT, WM_UNIT_PPM };

enum wm_profile_origin { WM_ASSUMED, WM_DERIVED, WM_MEASURED };

/* Keys of a row, as bits. level: an axis of the grid, "*" for any other; net: "mpi" or "shm"; kind: of a shared step
 * ("allreduce"), of a kernel ("copy", "combine"), of items ("inlined", "copied"), of paths ("messages", "shared",
 * "mixed", "conveyors"); members: how many; up_to: bytes, 0 for any. */
enum { WM_KEY_LEVEL = 1, WM_KEY_NET = 2, WM_KEY_KIND = 4, WM_KEY_MEMBERS = 8, WM_KEY_UP_TO = 16 };

/* X(id, key, unit, what): in the order of a row's values. */
/* clang-format off */
#define WM_LINK_PARAMETERS(X)                                                                                          \
    X(LINK_EAGER,           "eager",           BYTES,       "messages up to here leave without being asked for")        \
    X(LINK_HANDSHAKE,       "handshake",       PS,          "from a request at a ready peer to the first byte of data") \
    X(LINK_GAP,             "gap",             PS,          "the least time between two messages of a sender")          \
    X(LINK_POSTED,          "posted",          PS,          "a receive that waits beside others")                       \
    X(LINK_UNEXPECTED_BYTE, "unexpected_byte", FS_PER_BYTE, "a byte that came before its receive")                      \
    X(LINK_COLD,            "cold",            PS,          "the first message after a pause, beyond a later one")
#define WM_MESSAGE_PARAMETERS(X)                                                                                       \
    X(MESSAGE_SEND,         "send",            PS,          "the sender's core, a message")                             \
    X(MESSAGE_SEND_BYTE,    "send_byte",       FS_PER_BYTE, "the sender's core, a byte")                                \
    X(MESSAGE_LATENCY,      "latency",         PS,          "from a byte's leaving to its landing")                     \
    X(MESSAGE_BYTE,         "byte",            FS_PER_BYTE, "a byte of one flow alone")                                 \
    X(MESSAGE_RECEIVE,      "receive",         PS,          "the receiver's core, a message")                           \
    X(MESSAGE_RECEIVE_BYTE, "receive_byte",    FS_PER_BYTE, "the receiver's core, a byte")                              \
    X(MESSAGE_CROSS,        "cross",           PS,          "a receive whose message lands while one the other way flies")
#define WM_HOST_PARAMETERS(X)                                                                                          \
    X(HOST_CORES,           "cores",           COUNT,       "ranks of a host that run at once; 0: all do")              \
    X(HOST_YIELD,           "yield",           PS,          "from one rank to another on a core that both want")        \
    X(HOST_OUT,             "out",             FS_PER_BYTE, "a byte that leaves the host, by all its flows; 0: free")   \
    X(HOST_IN,              "in",              FS_PER_BYTE, "a byte that comes to the host; 0: free")                   \
    X(HOST_MEMORY,          "memory",          FS_PER_BYTE, "a byte between ranks of the host, by all; 0: free")
#define WM_CUT_PARAMETERS(X)                                                                                           \
    X(CUT_OUT,              "out",             FS_PER_BYTE, "a byte out of a group of the axis, by all its flows")      \
    X(CUT_IN,               "in",              FS_PER_BYTE, "a byte into it")
#define WM_SHARED_PARAMETERS(X)                                                                                        \
    X(SHARED_CALL,          "call",            PS,          "from the last arrival to the end, of no bytes")            \
    X(SHARED_BYTE,          "byte",            FS_PER_BYTE, "a byte of the block")                                      \
    X(SHARED_POST,          "post",            PS,          "a member that waits for none, from its arrival to its end") \
    X(SHARED_ORDER,         "order",           PS,          "a member more than the row's")
#define WM_KERNEL_PARAMETERS(X)                                                                                        \
    X(KERNEL_CALL,          "call",            PS,          "a call, of no bytes")                                      \
    X(KERNEL_BYTE,          "byte",            FS_PER_BYTE, "a byte")
#define WM_ENGINE_PARAMETERS(X)                                                                                        \
    X(ENGINE_FLIGHT,        "flight",          PS,          "a call, from its door to the first step, and out again")   \
    X(ENGINE_STEP,          "step",            PS,          "a step")                                                   \
    X(ENGINE_POLL,          "poll",            PS,          "a look at what has come")
#define WM_ITEM_PARAMETERS(X)                                                                                          \
    X(ITEM_PUSH,            "push",            PS,          "a push of an item")                                        \
    X(ITEM_PULL,            "pull",            PS,          "a pull of an item")                                        \
    X(ITEM_CROSS,           "cross",           PS,          "an item that another rank reads, beyond one that oneself does") \
    X(ITEM_RELAY,           "relay",           PS,          "an item that a hop brings, moved on to the next")
#define WM_BUFFER_PARAMETERS(X)                                                                                        \
    X(BUFFER_HAND,          "hand",            PS,          "a buffer, from its closing to its being given back")       \
    X(BUFFER_WAIT,          "wait",            PS,          "a link's buffer beyond that, over how many are under way")
#define WM_CONVEYOR_PARAMETERS(X)                                                                                      \
    X(CONVEYOR_BEGIN,       "begin",           PS,          "a run that follows one alike, begun by two ranks")         \
    X(CONVEYOR_END,         "end",             PS,          "a hop, from when nothing more comes until that is known") \
    X(CONVEYOR_DRAIN,       "drain",           PS,          "what of that lies behind the last rank's being done")
#define WM_NOISE_PARAMETERS(X)                                                                                         \
    X(NOISE_RATE,           "rate",            COUNT,       "detours a second and core")                                \
    X(NOISE_DETOUR,         "detour",          PS,          "the median of them")                                       \
    X(NOISE_LONG,           "long",            PS,          "one of a hundred is longer")
#define WM_ERROR_PARAMETERS(X)                                                                                         \
    X(ERROR_NINETY,         "ninety",          PPM,         "nine of ten predictions are no further off")               \
    X(ERROR_MEDIAN,         "median",          PPM,         "half of them are no further off")                          \
    X(ERROR_FACTOR,         "factor",          PPM,         "measured over predicted, where one factor helps; else 1000000")

/* X(id, "key in the file", parameters, keys, what a row is) */
#define WM_PROFILE_SECTIONS(X)                                                                                         \
    X(LINK,    "links",    WM_LINK_PARAMETERS,    WM_KEY_LEVEL | WM_KEY_NET,                 "a net at a level")        \
    X(MESSAGE, "messages", WM_MESSAGE_PARAMETERS, WM_KEY_LEVEL | WM_KEY_NET | WM_KEY_UP_TO,  "messages of a net at a level, by size") \
    X(HOST,    "hosts",    WM_HOST_PARAMETERS,    0,                                         "a host of the machine")   \
    X(CUT,     "cuts",     WM_CUT_PARAMETERS,     WM_KEY_LEVEL,                              "a link that a group of the axis shares") \
    X(SHARED,  "shared",   WM_SHARED_PARAMETERS,  WM_KEY_KIND | WM_KEY_MEMBERS | WM_KEY_UP_TO, "shared steps of a kind and size") \
    X(KERNEL,  "kernels",  WM_KERNEL_PARAMETERS,  WM_KEY_KIND | WM_KEY_UP_TO,                "copies and combinations, by size") \
    X(ENGINE,  "engine",   WM_ENGINE_PARAMETERS,  0,                                         "Waymark's own work")      \
    X(ITEM,    "items",    WM_ITEM_PARAMETERS,    WM_KEY_KIND | WM_KEY_NET | WM_KEY_UP_TO,   "items of conveyors, by size") \
    X(BUFFER,  "buffers",  WM_BUFFER_PARAMETERS,  WM_KEY_LEVEL | WM_KEY_NET | WM_KEY_UP_TO,  "their buffers, by size")  \
    X(CONVEYOR, "conveyors", WM_CONVEYOR_PARAMETERS, WM_KEY_LEVEL | WM_KEY_NET,              "a hop of them")           \
    X(NOISE,   "noise",    WM_NOISE_PARAMETERS,   0,                                         "what else the cores do")  \
    X(ERROR,   "errors",   WM_ERROR_PARAMETERS,   WM_KEY_KIND | WM_KEY_UP_TO,                "the self-test, by kind of path and size")

/* X(field): of the fingerprint, texts. */
#define WM_FINGERPRINT(X)                                                                                              \
    X(hosts) X(cpu) X(kernel) X(mpi) X(net) X(ranks_per_host) X(grid) X(waymark) X(made)
/* clang-format on */

#define X(id, key, unit, what) WM_##id,
#define SECTION(id, key, parameters, keys, what) enum { parameters(X) WM_##id##_COUNT };
WM_PROFILE_SECTIONS(SECTION)
#undef SECTION
#undef X

enum wm_profile_section {
#define X(id, key, parameters, keys, what) WM_PROFILE_##id,
    WM_PROFILE_SECTIONS(X)
#undef X
        WM_PROFILE_SECTION_COUNT
};

enum { WM_PROFILE_VALUES_MAX = 8, WM_PROFILE_NAME_CHARS = 32, WM_PROFILE_PROBE_CHARS = 48, WM_FINGERPRINT_CHARS = 128 };

struct wm_profile_value {
    int64_t value, low, high;
    int n;          /* samples, 0: assumed */
    uint8_t origin; /* enum wm_profile_origin */
    char probe[WM_PROFILE_PROBE_CHARS];
};

struct wm_profile_row {
    uint8_t section;
    uint8_t net;                      /* enum wm_net_kind */
    char name[WM_PROFILE_NAME_CHARS]; /* the level or the kind */
    int members;
    uint64_t up_to;
    struct wm_profile_value values[WM_PROFILE_VALUES_MAX];
};

struct wm_fingerprint {
#define X(field) char field[WM_FINGERPRINT_CHARS];
    WM_FINGERPRINT(X)
#undef X
};

struct wm_profile {
    struct wm_fingerprint fingerprint;
    size_t row_count, row_room;
    struct wm_profile_row *rows; /* in the order in which they were added */
};

/* A parameter, as the tables say it. */
struct wm_profile_parameter {
    const char *key, *what;
    enum wm_profile_unit unit;
};

const char *wm_profile_section_key(enum wm_profile_section section);
unsigned wm_profile_section_keys(enum wm_profile_section section);
int wm_profile_parameter_count(enum wm_profile_section section);
const struct wm_profile_parameter *wm_profile_parameter(enum wm_profile_section section, int parameter);
/* "ps", "fs/B", "B", "", "ppm"; "measured", … */
const char *wm_profile_unit_name(enum wm_profile_unit unit);
const char *wm_profile_origin_name(enum wm_profile_origin origin);

/* Add a row; keys that its section does not have are ignored when it is written. All values are 0, assumed. The
 * pointer holds until the next row is added; NULL: no memory. */
struct wm_profile_row *wm_profile_add(struct wm_profile *profile, enum wm_profile_section section, const char *name,
                                      int net, int members, uint64_t up_to);

/* The row that serves so many bytes: of the same name and net, else of the name "*"; of the same members, else of the
 * nearest; then with the least up_to that holds the bytes, else the largest one. NULL: there is none of the section
 * with either name. A row with fewer or other keys than asked about is told by its own fields. */
const struct wm_profile_row *wm_profile_find(const struct wm_profile *profile, enum wm_profile_section section,
                                             const char *name, int net, int members, uint64_t bytes);

/* Write and read it. 0, or -WM_E… with a sentence that names file, section and row. An unknown key is a fault, a
 * missing one is 0 and assumed. `wm_profile_load` gives an initialised profile in any case: release it. */
json_t *wm_profile_write(const struct wm_profile *profile);
int wm_profile_save(const struct wm_profile *profile, const char *file, struct wm_error *error);
int wm_profile_read(struct wm_profile *profile, const json_t *json, const char *file, struct wm_error *error);
int wm_profile_load(struct wm_profile *profile, const char *file, struct wm_error *error);
void wm_profile_release(struct wm_profile *profile);

/* A machine that nobody measured: a cluster of our days, all assumed. 0 or -WM_ENOMEM. */
int wm_profile_assume(struct wm_profile *profile);

/* The kind of rows for conveyors' items of a size: "inlined", whose copies waymark/convey.h inlines, or "copied". */
const char *wm_profile_item_kind(uint64_t bytes);

#endif
