/* Epochs: maps out of the mailbox, and from other ranks. */
#include "core/process/epochs.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "core/data/allocate.h"
#include "core/process/process.h"

static bool on;
static struct wm_mailbox *mailbox; /* world rank 0 */
static int mailbox_fd = -1;

/* Under the communicators' lock. */
static struct wm_epoch newest;
static struct wm_map_source *before; /* the map that held before */
static int places_of_nodes;          /* in numbers of nodes, taken from the end */

/* Who watches the trial: when the mailbox's beat was last another one. */
static struct {
    uint64_t beat;
    time_t changed_s;
} watcher;

/* A watcher whose beat stands so long is gone. */
enum { WATCHER_PATIENCE_S = 10 };

/* A map that is read. */
static struct {
    pthread_t thread;
    bool runs, threaded;
    bool tries; /* … to be tried */
    struct wm_trial_scope scope;
    _Atomic bool over;
    struct wm_map_source source;
    struct wm_error error;
} reading;

/* --- The places of the job, in words --- */

static bool is_first_of_node(int rank)
{
    const struct wm_process *p = &wm_process;

    for (int r = 0; r < rank; r++)
        if (p->places[r].node == p->places[rank].node)
            return false;
    return true;
}

/* Names that such a text cannot hold are left out. */
static void append_hosts(char *out, size_t out_bytes)
{
    const struct wm_process *p = &wm_process;
    char names[WM_MAILBOX_MACHINE_CHARS] = "";

    for (int r = 0; r < p->world_ranks; r++) {
        const char *host = p->places[r].host;

        if (!is_first_of_node(r))
            continue;
        if (host[0] == '\0' || strpbrk(host, "+,=") != NULL || strlen(out) + strlen(names) + 80 > out_bytes)
            return;
        wm_text_append(names, sizeof names, "%s%s", names[0] != '\0' ? "+" : "", host);
    }
    wm_text_append(out, out_bytes, ",host=%s", names);
}

/* "": no such text says it. */
static void describe_machine(char *out, size_t out_bytes)
{
    if (wm_grid_write_machine(wm_process.places, wm_process.world_ranks, out, out_bytes - 64))
        append_hosts(out, out_bytes);
    else
        out[0] = '\0';
}

/* --- Beginning and end --- */

int wm_epochs_start(struct wm_error *error)
{
    struct wm_process *p = &wm_process;
    struct wm_error missed;

    if (p->settings.retune_s == 0)
        return 0;
    if (p->each > 0)
        return wm_error_set(error, -WM_EINVAL,
                            "WAYMARK_RETUNE asks for maps that change, but subranks keep the map that they begin with; "
                            "leave '--retune' out");
    if (p->map.file == NULL)
        return wm_error_set(error, -WM_EINVAL,
                            "WAYMARK_RETUNE asks for maps that change, but there is none to begin with; name one by "
                            "'waymark run -m MAP': 'native', say");
    on = true;
    newest = (struct wm_epoch){.map = &p->map};
    before = &p->map;
    places_of_nodes = UINT16_MAX / WM_MAP_SOURCE_NODES;
    if (p->world_rank > 0)
        return 0;
    if ((mailbox = wm_mailbox_new(&mailbox_fd, &missed)) == NULL) {
        fprintf(stderr, "waymark: %s; the job keeps its map\n", missed.text);
        return 0;
    }
    mailbox->ranks = p->world_ranks;
    snprintf(mailbox->map_file, sizeof mailbox->map_file, "%s", p->map.file);
    describe_machine(mailbox->machine, sizeof mailbox->machine);
    return 0;
}

bool wm_epochs_on(void)
{
    return on;
}

static void end_reading(void)
{
    if (reading.threaded)
        pthread_join(reading.thread, NULL);
    reading.runs = false;
}

void wm_epochs_stop(void)
{
    on = false;
    if (mailbox == NULL)
        return;
    if (reading.runs) {
        end_reading();
        wm_map_source_release(&reading.source);
    }
    __atomic_store_n(&mailbox->state, WM_MAILBOX_CLOSED, __ATOMIC_RELEASE);
    wm_mailbox_free(mailbox, mailbox_fd);
    mailbox = NULL;
}

/* --- A map is read --- */

static json_t *without_places(const json_t *spec)
{
    json_t *copy = json_deep_copy(spec), *entry;
    size_t i;

    json_array_foreach (copy, i, entry) {
        json_object_del(entry, "line");
        json_object_del(entry, "column");
    }
    return copy;
}

/* Communicators keep their grids. */
static bool is_same_grid(const json_t *a, const json_t *b)
{
    json_t *plain_a = without_places(a), *plain_b = without_places(b);
    bool same = json_equal(plain_a, plain_b) != 0;

    json_decref(plain_a);
    json_decref(plain_b);
    return same;
}

static bool is_text(const struct wm_map_source *s)
{
    json_t *text = json_stringn(s->text, s->bytes), *file = json_string(s->file);
    bool is = text != NULL && file != NULL;

    json_decref(text);
    json_decref(file);
    return is;
}

static int check_source(struct wm_map_source *s, struct wm_error *error)
{
    const struct wm_map_head *head;

    if (!is_text(s))
        return wm_error_set(error, -WM_EMAP, "the map or its name is not written in UTF-8; it cannot be told to all");
    if (wm_map_source_open(s, error) == NULL) {
        wm_map_source_quote(s, error);
        return error->code;
    }
    head = wm_map_get_head(s->map);
    s->planned = head->operations;
    s->native = head->native;
    s->grid_spec = json_loads(head->grid_json, JSON_DECODE_ANY, NULL);
    s->subranks = json_loads(head->subranks_json, JSON_DECODE_ANY, NULL);
    if (!is_same_grid(s->grid_spec, wm_process.map.grid_spec))
        return wm_error_set(error, -WM_EMAP,
                            "its '#:grid' is another one than that of '%s', which the job was started with; it can "
                            "be changed by a new start alone",
                            wm_process.map.file);
    return wm_map_source_check_verify(s, error);
}

static void *read_aside(void *nothing)
{
    (void)nothing;
    check_source(&reading.source, &reading.error);
    atomic_store_explicit(&reading.over, true, memory_order_release);
    return NULL;
}

/* The thread takes no signals: they are the program's. */
static void start_reading(void)
{
    sigset_t all, former;

    reading.runs = true;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &former);
    reading.threaded = pthread_create(&reading.thread, NULL, read_aside, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &former, NULL);
    if (!reading.threaded)
        read_aside(NULL);
}

static void answer(const struct wm_error *error)
{
    mailbox->status = error->code;
    mailbox->sentence[0] = '\0';
    if (error->code < 0)
        wm_error_format(error, mailbox->sentence, sizeof mailbox->sentence);
    mailbox->epoch = newest.number;
    snprintf(mailbox->map_file, sizeof mailbox->map_file, "%s", newest.map->file);
    wm_mailbox_move(mailbox, WM_MAILBOX_TAKEN, WM_MAILBOX_ANSWERED);
}

/* What others have written may change while it is read: it is copied first. */
static void copy_mail(void)
{
    size_t bytes = mailbox->text_bytes;

    if (bytes > WM_MAILBOX_TEXT_BYTES)
        bytes = WM_MAILBOX_TEXT_BYTES;
    reading.source = (struct wm_map_source){.bytes = bytes, .text = wm_allocate(bytes + 1, "the map")};
    memcpy(reading.source.text, mailbox->text, bytes);
    reading.source.text[bytes] = '\0';
    reading.source.file = strndup(mailbox->file, sizeof mailbox->file - 1);
    reading.scope = mailbox->scope;
    reading.error = (struct wm_error){0};
    atomic_store_explicit(&reading.over, false, memory_order_relaxed);
}

/* --- Epochs --- */

static bool is_same_map(const struct wm_map_source *a, const struct wm_map_source *b)
{
    return strcmp(a->file, b->file) == 0 && a->bytes == b->bytes && memcmp(a->text, b->text, a->bytes) == 0;
}

/* Hold the communicators' lock. */
static struct wm_map_source *known_map(const struct wm_map_source *s)
{
    struct wm_map_source *known = wm_process.maps;

    if (is_same_map(&wm_process.map, s))
        return &wm_process.map;
    while (known != NULL && !(known->retuned && is_same_map(known, s)))
        known = known->next;
    return known;
}

/* The server that has read a map again serves the known source, whose own was closed. A server that thinks is left. */
static void hand_server_over(struct wm_map_source *from, struct wm_map_source *to)
{
    if (from->map == NULL || pthread_mutex_trylock(&wm_process.lock) != 0)
        return;
    if (to->map == NULL) {
        to->map = from->map;
        from->map = NULL;
    }
    pthread_mutex_unlock(&wm_process.lock);
}

/* Take a source over, among all of the process, or free it if there is such a one. Hold the communicators' lock. */
static struct wm_map_source *keep(struct wm_map_source *s)
{
    struct wm_map_source *known = known_map(s);

    if (known != NULL) {
        hand_server_over(s, known);
        wm_map_source_release(s);
        return known;
    }
    known = wm_allocate(sizeof *known, "the map");
    *known = *s;
    known->retuned = true;
    known->next = wm_process.maps;
    wm_process.maps = known;
    return known;
}

/* Hold the communicators' lock. A server that thinks is left for the next time. */
static void close_servers(void)
{
    if (pthread_mutex_trylock(&wm_process.lock) != 0)
        return;
    for (struct wm_map_source *s = wm_process.maps; s != NULL; s = s->next)
        if (s->retuned && s != newest.map && s != newest.tried && s != before) {
            wm_map_close(s->map);
            s->map = NULL;
        }
    pthread_mutex_unlock(&wm_process.lock);
}

static void begin_epoch(uint32_t number, struct wm_map_source *map, struct wm_map_source *tried)
{
    if (map != newest.map)
        before = newest.map;
    newest = (struct wm_epoch){.number = number, .map = map, .tried = tried};
    close_servers();
}

/* The number behind which a new map's nodes have theirs; beyond those that a trace can tell: they are nameless. */
static int number_nodes(void)
{
    int place = places_of_nodes--;

    return place > wm_process.map_count ? place * WM_MAP_SOURCE_NODES : UINT16_MAX + 1;
}

static time_t now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
    return t.tv_sec;
}

static void begin_trial(struct wm_map_source *map)
{
    begin_epoch(newest.number + 1, newest.map, map);
    newest.scope = reading.scope;
    watcher.beat = __atomic_load_n(&mailbox->beat, __ATOMIC_RELAXED);
    watcher.changed_s = now_s();
    __atomic_store_n(&mailbox->round_count, 0, __ATOMIC_RELEASE);
}

static int check_wish(const struct wm_map_source *wished, struct wm_error *error)
{
    if (newest.tried != NULL)
        return wm_error_set(error, -WM_EINVAL, "the job tries '%s' just now; wait for the end, or say --back",
                            newest.tried->file);
    if (is_same_map(wished, newest.map))
        return wm_error_set(error, -WM_EINVAL, "the job has this map already");
    return 0;
}

static void finish_reading(void)
{
    struct wm_map_source *s = &reading.source, *known;

    end_reading();
    wm_process_lock(&wm_process.comms_lock);
    if (reading.error.code == 0)
        check_wish(s, &reading.error);
    if (reading.error.code < 0) {
        wm_map_source_release(s);
    } else {
        known = known_map(s);
        s->first_node = known != NULL ? known->first_node : number_nodes();
        known = keep(s);
        if (reading.tries)
            begin_trial(known);
        else
            begin_epoch(newest.number + 1, known, NULL);
    }
    wm_process_unlock(&wm_process.comms_lock);
    answer(&reading.error);
}

/* The trial ends, or the map before holds again. */
static void turn(enum wm_mailbox_wish wish)
{
    struct wm_error error = {0};

    wm_process_lock(&wm_process.comms_lock);
    if (newest.tried != NULL)
        begin_epoch(newest.number + 1, wish == WM_MAILBOX_KEEP ? newest.tried : newest.map, NULL);
    else if (wish != WM_MAILBOX_BACK)
        wm_error_set(&error, -WM_EINVAL, "the job tries no map any more; '%s' holds", newest.map->file);
    else if (before == newest.map)
        wm_error_set(&error, -WM_EINVAL, "the job has had no other map");
    else
        begin_epoch(newest.number + 1, before, NULL);
    wm_process_unlock(&wm_process.comms_lock);
    answer(&error);
}

/* What is no wish is taken for a map. */
static void take_wish(void)
{
    enum wm_mailbox_wish wish = (enum wm_mailbox_wish)mailbox->wish;

    if (wish == WM_MAILBOX_BACK || wish == WM_MAILBOX_KEEP || wish == WM_MAILBOX_STOP) {
        turn(wish);
        return;
    }
    reading.tries = wish == WM_MAILBOX_TRY;
    copy_mail();
    start_reading();
}

/* Nobody would end the trial. */
static void look_for_watcher(void)
{
    uint64_t beat = __atomic_load_n(&mailbox->beat, __ATOMIC_RELAXED);

    if (beat != watcher.beat) {
        watcher.beat = beat;
        watcher.changed_s = now_s();
    } else if (now_s() - watcher.changed_s > WATCHER_PATIENCE_S) {
        fprintf(stderr, "waymark: 'waymark retune' has left its trial of '%s': '%s' holds again\n", newest.tried->file,
                newest.map->file);
        wm_process_lock(&wm_process.comms_lock);
        begin_epoch(newest.number + 1, newest.map, NULL);
        wm_process_unlock(&wm_process.comms_lock);
    }
}

void wm_epochs_look(void)
{
    if (mailbox == NULL)
        return;
    if (newest.tried != NULL)
        look_for_watcher();
    if (reading.runs && atomic_load_explicit(&reading.over, memory_order_acquire))
        finish_reading();
    if (!reading.runs && wm_mailbox_move(mailbox, WM_MAILBOX_ASKED, WM_MAILBOX_TAKEN))
        take_wish();
}

struct wm_epoch wm_epochs_newest(void)
{
    struct wm_epoch epoch;

    wm_process_lock(&wm_process.comms_lock);
    epoch = newest;
    wm_process_unlock(&wm_process.comms_lock);
    return epoch;
}

/* Numbers beyond those that a trace can tell, and the process's own map, need no definition. */
static void define_map(struct wm_map_source *s)
{
    bool known;

    wm_process_lock(&wm_process.comms_lock);
    known = s->defined || s == &wm_process.map || s->first_node > UINT16_MAX;
    s->defined = true;
    wm_process_unlock(&wm_process.comms_lock);
    if (!known)
        wm_process_define(json_pack("{ss, si, si, ss, ss%}", "define", "map", "first_node", s->first_node, "last_node",
                                    s->first_node + WM_MAP_SOURCE_NODES - 1, "file", s->file, "text", s->text,
                                    s->bytes));
}

void wm_epochs_record(const struct wm_epoch *e, uint32_t communicator, uint32_t sequence, bool defines)
{
    if (wm_process.recordings == NULL)
        return;
    if (defines)
        define_map(e->map);
    if (defines && e->tried != NULL)
        define_map(e->tried);
    if (wm_recorder_wants(wm_process_ring(), WM_TRACE_MAP_EPOCH))
        wm_record(wm_process_ring(), WM_TRACE_MAP_EPOCH, e->tried != NULL,
                  e->map->first_node > UINT16_MAX ? 0 : (uint16_t)e->map->first_node, communicator, -1, sequence,
                  e->number);
}

void wm_epochs_show(const struct wm_mailbox_round *round)
{
    if (mailbox == NULL)
        return;
    wm_process_lock(&wm_process.comms_lock);
    wm_mailbox_add_round(mailbox, round);
    wm_process_unlock(&wm_process.comms_lock);
}

static json_t *tell_map(const struct wm_map_source *s)
{
    return json_pack("{ss, ss%, sO, sO, sI, sI, si}", "file", s->file, "text", s->text, s->bytes, "grid", s->grid_spec,
                     "subranks", s->subranks, "planned", (json_int_t)s->planned, "native", (json_int_t)s->native,
                     "first_node", s->first_node);
}

json_t *wm_epochs_tell(const struct wm_epoch *epoch)
{
    const struct wm_trial_scope *s = &epoch->scope;
    json_t *told = json_pack("{sI, so}", "number", (json_int_t)epoch->number, "map", tell_map(epoch->map));

    if (epoch->tried == NULL)
        return told;
    json_object_set_new(told, "tried", tell_map(epoch->tried));
    json_object_set_new(told, "scope",
                        json_pack("[IIII]", (json_int_t)s->every, (json_int_t)s->one, (json_int_t)s->operation,
                                  (json_int_t)s->size_class));
    return told;
}

static uint32_t bits_of(const json_t *map, const char *key)
{
    return (uint32_t)json_integer_value(json_object_get(map, key));
}

/* Hold the communicators' lock. */
static struct wm_map_source *hear_map(const json_t *map)
{
    const json_t *text = json_object_get(map, "text");
    const char *file = json_string_value(json_object_get(map, "file"));
    struct wm_map_source s = {.bytes = json_string_length(text)};

    if (text == NULL || file == NULL)
        WM_BUG("rank 0 of a communicator tells of an epoch without its map");
    s.file = strdup(file);
    s.text = memcpy(wm_allocate(s.bytes + 1, "the map"), json_string_value(text), s.bytes + 1);
    s.grid_spec = json_incref(json_object_get(map, "grid"));
    s.subranks = json_incref(json_object_get(map, "subranks"));
    s.planned = bits_of(map, "planned");
    s.native = bits_of(map, "native");
    s.first_node = (int)json_integer_value(json_object_get(map, "first_node"));
    return keep(&s);
}

static struct wm_trial_scope hear_scope(const json_t *told)
{
    uint32_t values[4];

    for (size_t i = 0; i < 4; i++)
        values[i] = (uint32_t)json_integer_value(json_array_get(told, i));
    return (struct wm_trial_scope){values[0], values[1], values[2], values[3]};
}

struct wm_epoch wm_epochs_hear(const json_t *told)
{
    const json_t *tried = json_object_get(told, "tried");
    struct wm_epoch epoch = {.number = bits_of(told, "number")};

    wm_process_lock(&wm_process.comms_lock);
    epoch.map = hear_map(json_object_get(told, "map"));
    epoch.tried = tried != NULL ? hear_map(tried) : NULL;
    epoch.scope = hear_scope(json_object_get(told, "scope"));
    if (epoch.number > newest.number) {
        begin_epoch(epoch.number, epoch.map, epoch.tried);
        newest.scope = epoch.scope;
    }
    wm_process_unlock(&wm_process.comms_lock);
    return epoch;
}
