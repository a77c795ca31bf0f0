/* Conveyors as probes. */
#include "tools/gauge/conveyors.h"

#include <math.h>
#include <string.h>
#include "core/path/transport.h"
#include "core/plan/convey/form.h"
#include "tools/gauge/probes.h"

enum { RUN_BYTES = 400000, EXTRA_BYTES = 8, ROUNDS_MAX = 256, SIZES = 9, USUAL = 16 << 10, USUAL_BUFFERS = 4 };

static const uint64_t sizes[SIZES] = {8, 16, 32, 64, 128, 24, 96, 256, 1024};
/* Where items cost nearly nothing beside buffers; and of these which, how many. */
static const uint64_t ring_sizes[] = {512, 1024, 2048}, ring_items[] = {8, 32};
static const uint64_t parcel_sizes[] = {512, 1024, 2048, 4096, 8192, 16384, 65536};
enum { RINGS = 3, RING_ITEMS = 2, PARCELS = 7, PARCEL_ITEM = 32, LARGE = 64 << 10, LARGE_BUFFERS = 2 };

#define COUNT_OF(list) (int)(sizeof(list) / sizeof *(list))

static const char *const nets[] = {[WM_NET_MPI] = "mpi", [WM_NET_SHM] = "shm"};
static const char *const routes[] = {"", "all", "core node", "core node core"};

/* ---- which ones ---- */

/* So many items that a run takes some hundred microseconds: longer ones are seldom left alone. */
static int64_t items_of(uint64_t item_bytes)
{
    return (int64_t)(RUN_BYTES / (item_bytes + EXTRA_BYTES));
}

static void add(struct wm_gauge_conveyors *list, const struct wm_gauge_conveyor *conveyor)
{
    if (list->count < WM_GAUGE_CONVEYORS_MAX)
        list->of[list->count++] = *conveyor;
}

/* Items over usual buffers, in all ways that tell apart what they cost. */
static void list_items(struct wm_gauge_conveyors *list, bool near)
{
    for (int i = 0; i < SIZES; i++) {
        struct wm_gauge_conveyor c = {.net = WM_NET_MPI,
                                      .hops = 1,
                                      .buffers = LARGE_BUFFERS,
                                      .buffer_bytes = LARGE,
                                      .item_bytes = sizes[i],
                                      .items = items_of(sizes[i]),
                                      .phases = true};

        add(list, &c);
        c.net = WM_NET_SHM;
        c.buffers = USUAL_BUFFERS;
        c.buffer_bytes = USUAL;
        for (int aim = WM_GAUGE_ANY; near && aim <= WM_GAUGE_OWN; aim++) {
            c.aim = (enum wm_gauge_aim)aim;
            add(list, &c);
        }
        c.aim = WM_GAUGE_ANY;
        for (c.hops = 2; near && c.hops <= 3; c.hops++)
            add(list, &c);
    }
}

static void list_buffers(struct wm_gauge_conveyors *list, int net, uint64_t bytes, uint64_t item_bytes)
{
    struct wm_gauge_conveyor c = {
        .net = net, .hops = 1, .buffer_bytes = bytes, .item_bytes = item_bytes, .items = items_of(item_bytes)};

    for (c.buffers = 1; c.buffers <= USUAL_BUFFERS; c.buffers *= USUAL_BUFFERS)
        add(list, &c);
}

/* A run of one item is its end. */
static void list_end(struct wm_gauge_conveyors *list, int net)
{
    add(list, &(struct wm_gauge_conveyor){.net = net,
                                          .hops = 1,
                                          .buffers = USUAL_BUFFERS,
                                          .buffer_bytes = USUAL,
                                          .item_bytes = sizes[0],
                                          .items = 1});
}

void wm_gauge_conveyors_pair(struct wm_gauge_conveyors *list, bool near)
{
    *list = (struct wm_gauge_conveyors){0};
    list_items(list, near);
    for (int i = 0; i < PARCELS; i++)
        list_buffers(list, WM_NET_MPI, parcel_sizes[i], PARCEL_ITEM);
    list_end(list, WM_NET_MPI);
    if (!near)
        return;
    for (int i = 0; i < RINGS * RING_ITEMS; i++)
        list_buffers(list, WM_NET_SHM, ring_sizes[i / RING_ITEMS], ring_items[i % RING_ITEMS]);
    list_end(list, WM_NET_SHM);
}

void wm_gauge_conveyors_test(struct wm_gauge_conveyors *list, uint64_t seed, int count)
{
    static const uint64_t items[] = {8, 16, 24, 32, 40, 64, 80, 128, 200, 400};

    *list = (struct wm_gauge_conveyors){0};
    while (count-- > 0) {
        struct wm_gauge_conveyor c = {.net = wm_gauge_draw(&seed) % 3 == 0 ? WM_NET_MPI : WM_NET_SHM,
                                      .hops = 1 + (int)(wm_gauge_draw(&seed) % 3),
                                      .buffers = 1 << wm_gauge_draw(&seed) % 4,
                                      .buffer_bytes = UINT64_C(512) << wm_gauge_draw(&seed) % 8};

        c.buffer_bytes += c.buffer_bytes / 8 * (wm_gauge_draw(&seed) % 8);
        c.item_bytes = items[wm_gauge_draw(&seed) % (uint64_t)COUNT_OF(items)];
        c.items = (items_of(c.item_bytes) * 4) >> wm_gauge_draw(&seed) % 6;
        add(list, &c);
    }
}

/* ---- their names and rules ---- */

const char *wm_gauge_conveyor_name(const struct wm_gauge_conveyor *c, char out[WM_GAUGE_CONVEYOR_CHARS])
{
    snprintf(out, WM_GAUGE_CONVEYOR_CHARS, "%s-%d-%llu-%d", nets[c->net], c->hops, (unsigned long long)c->buffer_bytes,
             c->buffers);
    return out;
}

static bool is_same_design(const struct wm_gauge_conveyor *a, const struct wm_gauge_conveyor *b)
{
    return a->net == b->net && a->hops == b->hops && a->buffers == b->buffers && a->buffer_bytes == b->buffer_bytes;
}

static bool is_printed(const struct wm_gauge_conveyors *lists, int last, int end)
{
    for (int l = 0; l <= last; l++)
        for (int i = 0; i < (l < last ? lists[l].count : end); i++)
            if (is_same_design(&lists[l].of[i], &lists[last].of[end]))
                return true;
    return false;
}

void wm_gauge_conveyors_print(FILE *out, const struct wm_gauge_conveyors *lists, int list_count)
{
    char name[WM_GAUGE_CONVEYOR_CHARS];

    fputs("  (on conveyor\n", out);
    for (int l = 0; l < list_count; l++)
        for (int i = 0; i < lists[l].count; i++) {
            const struct wm_gauge_conveyor *c = &lists[l].of[i];

            if (!is_printed(lists, l, i))
                fprintf(out,
                        "    ((string=? communicator \"%s\") (path (aggregate %llu #:buffers %d) (route %s) "
                        "(remote '%s 'mpi)))\n",
                        wm_gauge_conveyor_name(c, name), (unsigned long long)c->buffer_bytes, c->buffers,
                        routes[c->hops], nets[c->net]);
        }
    fputs("  )\n", out);
}

/* ---- samples ---- */

json_t *wm_gauge_conveyor_write(const struct wm_gauge_conveyor *c)
{
    return json_pack("{si, si, si, sI, sI, sI, si, sb}", "net", c->net, "hops", c->hops, "buffers", c->buffers,
                     "buffer_bytes", (json_int_t)c->buffer_bytes, "item_bytes", (json_int_t)c->item_bytes, "items",
                     (json_int_t)c->items, "aim", (int)c->aim, "phases", c->phases);
}

struct wm_gauge_conveyor wm_gauge_conveyor_read(const json_t *json)
{
#define NUMBER(key) json_integer_value(json_object_get(json, key))
    return (struct wm_gauge_conveyor){.net = (int)NUMBER("net"),
                                      .hops = (int)NUMBER("hops"),
                                      .buffers = (int)NUMBER("buffers"),
                                      .buffer_bytes = (uint64_t)NUMBER("buffer_bytes"),
                                      .item_bytes = (uint64_t)NUMBER("item_bytes"),
                                      .items = NUMBER("items"),
                                      .aim = (enum wm_gauge_aim)NUMBER("aim"),
                                      .phases = json_is_true(json_object_get(json, "phases"))};
#undef NUMBER
}

struct wm_gauge_estimate wm_gauge_conveyor_estimate(const json_t *probe, const char *field)
{
    double ns[ROUNDS_MAX];
    const json_t *sample;
    size_t i;
    int n = 0;

    json_array_foreach (json_object_get(probe, field), i, sample)
        if (n < ROUNDS_MAX)
            ns[n++] = json_number_value(sample);
    return wm_gauge_estimate(ns, n);
}

/* ---- from samples to rows ---- */

struct fit {
    struct wm_profile *profile;
    const json_t *near, *far;
    double hand, wait;              /* of a ring's piece, ns */
    double relay_base, relay_slope; /* ns, ns a byte */
    bool short_of_memory;
};

/* ns an item; 0: it was not carried. */
struct timed {
    struct wm_gauge_estimate e;
    double item, push_share;
};

static const json_t *find(const json_t *group, const struct wm_gauge_conveyor *wanted)
{
    const json_t *probe;
    size_t i;

    json_array_foreach (json_object_get(group, "conveyors"), i, probe) {
        struct wm_gauge_conveyor c = wm_gauge_conveyor_read(probe);

        if (is_same_design(&c, wanted) && c.item_bytes == wanted->item_bytes && c.aim == wanted->aim &&
            (c.items == 1) == (wanted->items == 1))
            return probe;
    }
    return NULL;
}

static struct timed time_of(const json_t *group, int net, int hops, uint64_t buffer_bytes, int buffers,
                            uint64_t item_bytes, enum wm_gauge_aim aim)
{
    struct wm_gauge_conveyor c = {.net = net,
                                  .hops = hops,
                                  .buffers = buffers,
                                  .buffer_bytes = buffer_bytes,
                                  .item_bytes = item_bytes,
                                  .aim = aim};
    const json_t *probe = find(group, &c);
    double push = wm_gauge_conveyor_estimate(probe, "push").value,
           pull = wm_gauge_conveyor_estimate(probe, "pull").value;
    struct timed t = {.e = wm_gauge_conveyor_estimate(probe, "run")};

    if (t.e.n == 0)
        return t;
    c = wm_gauge_conveyor_read(probe);
    t.item = t.e.value / (double)c.items;
    t.push_share = push + pull > 0 ? push / (push + pull) : 0.5;
    return t;
}

static struct wm_profile_row *add_row(struct fit *f, enum wm_profile_section section, const char *name, int net,
                                      uint64_t up_to)
{
    struct wm_profile_row *row = wm_profile_add(f->profile, section, name, net, 0, up_to);

    f->short_of_memory = f->short_of_memory || row == NULL;
    return row;
}

static void set(struct wm_profile_row *row, int parameter, double ns, const struct wm_gauge_estimate *e,
                enum wm_profile_origin origin, const char *probe)
{
    double width = fmin(1, wm_gauge_width(e, 1)), ps = 1e3 * fmax(0, ns);
    struct wm_profile_value *v = row != NULL ? &row->values[parameter] : NULL;

    if (v == NULL || e->n == 0)
        return;
    *v = (struct wm_profile_value){.value = llround(ps),
                                   .low = llround(ps * (1 - width)),
                                   .high = llround(ps * (1 + width)),
                                   .n = e->n,
                                   .origin = (uint8_t)origin};
    snprintf(v->probe, sizeof v->probe, "%s", probe);
}

static struct wm_convey_form form_of(uint64_t buffer_bytes, uint64_t item_bytes, int buffers)
{
    return wm_convey_form(&(struct wm_convey_design){.buffer_bytes = buffer_bytes, .buffers = buffers},
                          &(struct wm_route){0}, item_bytes, false);
}

static double units_of(uint64_t buffer_bytes, uint64_t item_bytes)
{
    struct wm_convey_form form = form_of(buffer_bytes, item_bytes, 1);

    return (double)form.units;
}

/* Of a ring: units of a piece, and what a piece takes. */
static double piece_units(uint64_t buffer_bytes, uint64_t item_bytes, int buffers)
{
    struct wm_convey_form form = form_of(buffer_bytes, item_bytes, buffers);

    return (double)wm_convey_ring_units(&form);
}

static double piece_ns(const struct fit *f, int buffers)
{
    struct wm_convey_form form = form_of(USUAL, sizes[0], buffers);

    return f->hand + f->wait / wm_convey_ring_pieces(&form);
}

/* What an item takes that stays in memory, of a run with usual buffers. */
static double ring_item(const struct fit *f, uint64_t item_bytes)
{
    return time_of(f->near, WM_NET_SHM, 1, USUAL, USUAL_BUFFERS, item_bytes, WM_GAUGE_ANY).item -
           piece_ns(f, USUAL_BUFFERS) / piece_units(USUAL, item_bytes, USUAL_BUFFERS);
}

/* The median over sizes of what a piece of a ring takes. */
static struct wm_gauge_estimate piece_of(const struct fit *f, int buffers)
{
    double ns[RINGS * RING_ITEMS];
    int n = 0;

    for (int i = 0; i < RINGS * RING_ITEMS; i++) {
        uint64_t bytes = ring_sizes[i / RING_ITEMS], item = ring_items[i % RING_ITEMS];
        struct timed t = time_of(f->near, WM_NET_SHM, 1, bytes, buffers, item, WM_GAUGE_ANY);

        if (t.e.n > 0)
            ns[n++] = (t.item - ring_item(f, item)) * piece_units(bytes, item, buffers);
    }
    return wm_gauge_estimate(ns, n);
}

/* Pieces take hand + wait / pieces of a ring: of one buffer there are two. Items take what is left, so twice. */
static void fit_rings(struct fit *f)
{
    struct wm_gauge_estimate few = {0}, many = {0};
    struct wm_profile_row *row;

    for (int i = 0; i < 3; i++) {
        few = piece_of(f, 1);
        many = piece_of(f, USUAL_BUFFERS);
        f->wait = fmax(0, (few.value - many.value) / (1.0 / 2 - 1.0 / USUAL_BUFFERS));
        f->hand = many.value - f->wait / USUAL_BUFFERS;
        if (f->hand < 0) {
            f->hand = 0;
            f->wait = 2 * fmax(0, few.value);
        }
    }
    if (few.n == 0)
        return;
    row = add_row(f, WM_PROFILE_BUFFER, "core", WM_NET_SHM, 0);
    set(row, WM_BUFFER_HAND, f->hand, &many, WM_DERIVED, "runs with small buffers");
    set(row, WM_BUFFER_WAIT, f->wait, &few, WM_DERIVED, "runs with small buffers");
}

/* Of two hops every other item, which is for oneself, leaves out the first. Of three all that one of the ranks pushes
 * go over the other, which relays them twice. */
static double relay_of(const struct fit *f, uint64_t item_bytes, int hops)
{
    struct timed one = time_of(f->near, WM_NET_SHM, 1, USUAL, USUAL_BUFFERS, item_bytes, WM_GAUGE_ANY),
                 more = time_of(f->near, WM_NET_SHM, hops, USUAL, USUAL_BUFFERS, item_bytes, WM_GAUGE_ANY);
    double relays = hops == 2 ? 0.5 : 2;

    return (more.item - one.item) / relays -
           piece_ns(f, USUAL_BUFFERS) / piece_units(USUAL, item_bytes + 1, USUAL_BUFFERS);
}

/* A line through all of them, of the median slope: where a run's rings happen to lie moves a single one by half. */
static void fit_relays(struct fit *f)
{
    double values[4 * SIZES * SIZES];
    int n = 0;

    for (int i = 0; i < 2 * SIZES; i++)
        for (int j = 0; j < 2 * SIZES; j++)
            if (sizes[i / 2] < sizes[j / 2])
                values[n++] = (relay_of(f, sizes[j / 2], 2 + j % 2) - relay_of(f, sizes[i / 2], 2 + i % 2)) /
                              (double)(sizes[j / 2] - sizes[i / 2]);
    f->relay_slope = fmax(0, wm_gauge_estimate(values, n).value);
    for (n = 0; n < 2 * SIZES; n++)
        values[n] = relay_of(f, sizes[n / 2], 2 + n % 2) - f->relay_slope * (double)sizes[n / 2];
    f->relay_base = fmax(0, wm_gauge_estimate(values, n).value);
}

static void set_relay(const struct fit *f, struct wm_profile_row *row, uint64_t item_bytes)
{
    struct timed two = time_of(f->near, WM_NET_SHM, 2, USUAL, USUAL_BUFFERS, item_bytes, WM_GAUGE_ANY);

    set(row, WM_ITEM_RELAY, f->relay_base + f->relay_slope * (double)item_bytes, &two.e, WM_DERIVED,
        "two and three hops less one");
}

static void add_ring_item(struct fit *f, const char *kind, uint64_t item_bytes)
{
    struct timed any = time_of(f->near, WM_NET_SHM, 1, USUAL, USUAL_BUFFERS, item_bytes, WM_GAUGE_ANY),
                 next = time_of(f->near, WM_NET_SHM, 1, USUAL, USUAL_BUFFERS, item_bytes, WM_GAUGE_NEXT),
                 own = time_of(f->near, WM_NET_SHM, 1, USUAL, USUAL_BUFFERS, item_bytes, WM_GAUGE_OWN);
    double cross = fmin(fmax(0, next.item - own.item), any.item), item = ring_item(f, item_bytes) - cross / 2;
    struct wm_profile_row *row;

    if (any.e.n == 0)
        return;
    row = add_row(f, WM_PROFILE_ITEM, kind, WM_NET_SHM, item_bytes);
    set(row, WM_ITEM_PUSH, any.push_share * item, &any.e, WM_MEASURED, "a run to any ranks");
    set(row, WM_ITEM_PULL, (1 - any.push_share) * item, &any.e, WM_MEASURED, "a run to any ranks");
    set(row, WM_ITEM_CROSS, cross, &next.e, WM_DERIVED, "a run to the next rank less one to oneself");
    set_relay(f, row, item_bytes);
}

/* Pushes and pulls as they are timed apart: the rest is the buffers'. */
static void add_parcel_item(struct fit *f, const char *kind, uint64_t item_bytes)
{
    struct wm_gauge_conveyor c = {
        .net = WM_NET_MPI, .hops = 1, .buffers = LARGE_BUFFERS, .buffer_bytes = LARGE, .item_bytes = item_bytes};
    const json_t *probe = find(f->near != NULL ? f->near : f->far, &c);
    struct wm_gauge_estimate push = wm_gauge_conveyor_estimate(probe, "push"),
                             pull = wm_gauge_conveyor_estimate(probe, "pull");
    struct wm_profile_row *row;
    double items;

    if (push.n == 0)
        return;
    items = (double)wm_gauge_conveyor_read(probe).items;
    row = add_row(f, WM_PROFILE_ITEM, kind, WM_NET_MPI, item_bytes);
    set(row, WM_ITEM_PUSH, push.value / items, &push, WM_MEASURED, "a run to any ranks");
    set(row, WM_ITEM_PULL, pull.value / items, &pull, WM_MEASURED, "a run to any ranks");
    if (f->near != NULL)
        set_relay(f, row, item_bytes);
}

static double parcel_item(const struct fit *f)
{
    const struct wm_profile_row *row =
        wm_profile_find(f->profile, WM_PROFILE_ITEM, "inlined", WM_NET_MPI, 0, PARCEL_ITEM);

    return row == NULL ? 0 : (double)(row->values[WM_ITEM_PUSH].value + row->values[WM_ITEM_PULL].value) * 1e-3;
}

/* Of two ranks every other item is for oneself, by a ring: a parcel of n items comes every 2 n. */
static double parcel_ns(const struct fit *f, const struct timed *t, uint64_t bytes, int buffers)
{
    double ring = f->near != NULL ? piece_ns(f, buffers) / piece_units(bytes, PARCEL_ITEM, buffers) : 0;

    return 2 * units_of(bytes, PARCEL_ITEM) * (t->item - parcel_item(f) - ring / 2);
}

static void add_parcels(struct fit *f, const json_t *group, const char *level)
{
    for (int i = 0; group != NULL && i < PARCELS; i++) {
        uint64_t bytes = parcel_sizes[i];
        struct timed one = time_of(group, WM_NET_MPI, 1, bytes, 1, PARCEL_ITEM, WM_GAUGE_ANY),
                     many = time_of(group, WM_NET_MPI, 1, bytes, USUAL_BUFFERS, PARCEL_ITEM, WM_GAUGE_ANY);
        double few_ns = parcel_ns(f, &one, bytes, 1), many_ns = parcel_ns(f, &many, bytes, USUAL_BUFFERS),
               wait = fmax(0, fmin((few_ns - many_ns) / (1 - 1.0 / USUAL_BUFFERS), USUAL_BUFFERS * many_ns));
        struct wm_profile_row *row;

        if (one.e.n == 0 || many.e.n == 0)
            continue;
        row = add_row(f, WM_PROFILE_BUFFER, level, WM_NET_MPI, bytes);
        set(row, WM_BUFFER_HAND, many_ns - wait / USUAL_BUFFERS, &many.e, WM_DERIVED, "runs by messages");
        set(row, WM_BUFFER_WAIT, wait, &one.e, WM_DERIVED, "runs by messages");
    }
}

static void add_end(struct fit *f, const json_t *group, const char *level, int net)
{
    struct wm_gauge_conveyor c = {
        .net = net, .hops = 1, .buffers = USUAL_BUFFERS, .buffer_bytes = USUAL, .item_bytes = sizes[0], .items = 1};
    const json_t *probe = group != NULL ? find(group, &c) : NULL;
    struct wm_gauge_estimate run = wm_gauge_conveyor_estimate(probe, "run"),
                             begin = wm_gauge_conveyor_estimate(probe, "begin"),
                             drain = wm_gauge_conveyor_estimate(probe, "drain");
    struct wm_profile_row *row;

    if (run.n == 0)
        return;
    row = add_row(f, WM_PROFILE_CONVEYOR, level, net, 0);
    set(row, WM_CONVEYOR_BEGIN, begin.value, &begin, WM_MEASURED, "begin and reset of a run of one item");
    set(row, WM_CONVEYOR_END, run.value, &run, WM_MEASURED, "a run of one item");
    set(row, WM_CONVEYOR_DRAIN, drain.value, &drain, WM_MEASURED, "a run of one item");
}

int wm_gauge_conveyors_build(struct wm_profile *profile, const json_t *near, const json_t *far, const json_t *farthest)
{
    struct fit f = {.profile = profile, .near = near, .far = far != NULL ? far : farthest};

    if (near != NULL) {
        fit_rings(&f);
        fit_relays(&f);
    }
    for (int i = 0; i < SIZES; i++) {
        const char *kind = wm_profile_item_kind(sizes[i]);

        if (near != NULL)
            add_ring_item(&f, kind, sizes[i]);
        add_parcel_item(&f, kind, sizes[i]);
    }
    add_parcels(&f, near, "core");
    add_parcels(&f, far, "node");
    add_parcels(&f, farthest, "cluster");
    add_end(&f, near, "core", WM_NET_SHM);
    add_end(&f, near, "core", WM_NET_MPI);
    add_end(&f, far, "node", WM_NET_MPI);
    add_end(&f, farthest, "cluster", WM_NET_MPI);
    return f.short_of_memory ? -WM_ENOMEM : 0;
}
