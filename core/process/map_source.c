/* Map sources: a map's text and its server, shared among the ranks of a communicator. */
#include "core/process/map_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/data/allocate.h"
#include "core/process/process.h"

/* What rank 0 tells the others about a map, before its texts. */
struct map_news {
    int status; /* 0, or -WM_E… */
    uint32_t operations, native;
    int file_bytes, text_bytes, grid_bytes, subranks_bytes; /* with the NUL */
};

struct wm_map *wm_map_source_open(struct wm_map_source *s, struct wm_error *error)
{
    const struct wm_map_options options = {.deadline_ms = wm_process.settings.map_deadline_ms};

    if (s->map == NULL)
        wm_map_open(&s->map, s->file, s->text, s->bytes, &options, error);
    return s->map;
}

static bool same_text(const struct wm_map_source *a, const struct wm_map_source *b)
{
    return a->file != NULL && strcmp(a->file, b->file) == 0 && a->bytes == b->bytes &&
           memcmp(a->text, b->text, a->bytes) == 0;
}

/* The process's source of the same file and text, or NULL. Hold the communicators' lock. */
static struct wm_map_source *known_source(const struct wm_map_source *s)
{
    struct wm_map_source *known;

    if (same_text(&wm_process.map, s))
        return &wm_process.map;
    for (known = wm_process.maps; known != NULL && (known->retuned || !same_text(known, s)); known = known->next)
        ;
    return known;
}

/* What goes to all as JSON. */
struct head {
    char *grid, *subranks;
};

static void release_head(struct head *head)
{
    free(head->grid);
    free(head->subranks);
}

/* What the head of a map says: that of an equal source, or else of a server, which checks the map first.
 * *texts: the caller's to release. */
static int read_head(struct wm_map_source *s, struct head *texts, struct map_news *news, struct wm_error *error)
{
    const struct wm_map_source *known;
    const struct wm_map_head *head;

    wm_process_lock(&wm_process.comms_lock);
    known = known_source(s);
    wm_process_unlock(&wm_process.comms_lock);
    if (known != NULL && known != s) {
        news->operations = known->planned;
        news->native = known->native;
        texts->grid = json_dumps(known->grid_spec, JSON_ENCODE_ANY);
        texts->subranks = json_dumps(known->subranks, JSON_ENCODE_ANY);
    } else if (wm_map_source_open(s, error) != NULL) {
        head = wm_map_get_head(s->map);
        news->operations = head->operations;
        news->native = head->native;
        texts->grid = strdup(head->grid_json);
        texts->subranks = strdup(head->subranks_json);
    } else {
        wm_map_source_quote(s, error);
        return error->code;
    }
    return texts->grid != NULL && texts->subranks != NULL ? 0
                                                          : wm_error_set(error, -WM_ENOMEM, "no memory for the map");
}

/* Rank 0. *texts: the caller's to release. */
static int read_map(struct wm_map_source *s, const char *name, struct head *texts, struct map_news *news,
                    struct wm_error *error)
{
    int rc = wm_map_read(name, &s->file, &s->text, &s->bytes, error);

    if (rc < 0 || (rc = read_head(s, texts, news, error)) < 0)
        return rc;
    news->file_bytes = (int)strlen(s->file) + 1;
    news->text_bytes = (int)s->bytes + 1;
    news->grid_bytes = (int)strlen(texts->grid) + 1;
    news->subranks_bytes = (int)strlen(texts->subranks) + 1;
    return 0;
}

static char *share_bytes(MPI_Comm comm, int rank, char *text, int bytes)
{
    if (rank > 0)
        text = wm_allocate((size_t)bytes, "the map");
    PMPI_Bcast(text, bytes, MPI_CHAR, 0, comm);
    return text;
}

int wm_map_source_share(struct wm_map_source *s, MPI_Comm comm, const char *name, struct wm_error *error)
{
    struct map_news news = {0};
    struct head texts = {0};
    int rank;

    PMPI_Comm_rank(comm, &rank);
    if (rank == 0)
        news.status = read_map(s, name, &texts, &news, error);
    PMPI_Bcast(&news, sizeof news, MPI_BYTE, 0, comm);
    if (news.status < 0) {
        release_head(&texts);
        wm_map_source_release(s);
        return news.status;
    }
    s->file = share_bytes(comm, rank, s->file, news.file_bytes);
    s->text = share_bytes(comm, rank, s->text, news.text_bytes);
    texts.grid = share_bytes(comm, rank, texts.grid, news.grid_bytes);
    texts.subranks = share_bytes(comm, rank, texts.subranks, news.subranks_bytes);
    s->bytes = (size_t)news.text_bytes - 1;
    s->planned = news.operations;
    s->native = news.native;
    s->grid_spec = json_loads(texts.grid, JSON_DECODE_ANY, NULL);
    s->subranks = json_loads(texts.subranks, JSON_DECODE_ANY, NULL);
    release_head(&texts);
    return 0;
}

/* Keep a source that was shared over `comm`, or the equal one that is there already.
 * Numbers of nodes are agreed upon, for one trace holds all ranks'. */
static struct wm_map_source *keep_source(struct wm_map_source *s, MPI_Comm comm)
{
    struct wm_map_source *known;
    int mine, most;

    wm_process_lock(&wm_process.comms_lock);
    known = known_source(s);
    mine = known != NULL ? known->first_node / WM_MAP_SOURCE_NODES : wm_process.map_count + 1;
    wm_process_unlock(&wm_process.comms_lock);
    PMPI_Allreduce(&mine, &most, 1, MPI_INT, MPI_MAX, comm);
    if (known != NULL) {
        wm_map_source_release(s);
        free(s);
        return known;
    }
    s->first_node = most * WM_MAP_SOURCE_NODES;
    wm_process_lock(&wm_process.comms_lock);
    wm_process.map_count = most;
    s->next = wm_process.maps;
    wm_process.maps = s;
    wm_process_unlock(&wm_process.comms_lock);
    return s;
}

/* Rank 0: does the info hold the key? */
static bool read_info(MPI_Info info, char *name)
{
    int flag = 0;

    if (info != MPI_INFO_NULL)
        PMPI_Info_get(info, WM_MAP_SOURCE_KEY, WM_MAP_SOURCE_NAME_CHARS - 1, name, &flag);
    return flag != 0;
}

/* A communicator that is being made has no name yet. */
static void say_who_asks(struct wm_error *error, MPI_Comm comm)
{
    size_t length = strlen(error->text);
    int ranks;

    PMPI_Comm_size(comm, &ranks);
    snprintf(error->text + length, sizeof error->text - length,
             " (the info key '%s' names this map for a duplicate of %d ranks)", WM_MAP_SOURCE_KEY, ranks);
}

int wm_map_source_of_info(struct wm_map_source **source, MPI_Comm comm, MPI_Info info, struct wm_map_source *otherwise,
                          struct wm_error *error)
{
    char name[WM_MAP_SOURCE_NAME_CHARS] = "";
    struct wm_map_source *s;
    int rank, asked, rc;

    *source = otherwise;
    PMPI_Comm_rank(comm, &rank);
    asked = rank == 0 && read_info(info, name);
    PMPI_Bcast(&asked, 1, MPI_INT, 0, comm);
    if (!asked)
        return 0;
    s = wm_allocate_zeroed(sizeof *s, "the map");
    if ((rc = wm_map_source_share(s, comm, name, error)) < 0 || (rc = wm_map_source_check_verify(s, error)) < 0) {
        say_who_asks(error, comm);
        wm_map_source_release(s);
        free(s);
    } else
        *source = keep_source(s, comm);
    return rc;
}

void wm_map_source_quote(const struct wm_map_source *s, struct wm_error *error)
{
    if (error->line <= 0 || error->excerpt[0] != '\0' || s->text == NULL)
        return;
    if (error->file[0] == '\0')
        wm_error_place(error, s->file, error->line, error->column);
    wm_error_quote(error, s->text, s->bytes);
}

bool wm_map_source_names_sockets(const struct wm_map_source *s)
{
    return s->text != NULL && (strstr(s->text, "socket") != NULL || strstr(s->text, "numa") != NULL);
}

/* Not in a comment. */
bool wm_map_source_verifies(const struct wm_map_source *s)
{
    static const char word[] = "(verify";

    for (const char *at = s->text; at != NULL && (at = strstr(at, word)) != NULL; at += sizeof word - 1) {
        const char *line = at;

        while (line > s->text && line[-1] != '\n')
            line--;
        if (memchr(line, ';', (size_t)(at - line)) == NULL)
            return true;
    }
    return false;
}

int wm_map_source_check_verify(const struct wm_map_source *s, struct wm_error *error)
{
    if (!wm_map_source_verifies(s) || wm_process.verifies || wm_process.settings.verify >= WM_VERIFY_RESULTS)
        return 0;
    return wm_error_set(error, -WM_EMAP,
                        "the map '%s' has paths that verify, which the job was not started for; begin it with such a "
                        "map, or with 'waymark run --verify results'",
                        s->file);
}

bool wm_map_source_names_clusters(const struct wm_map_source *s)
{
    return s->text != NULL && json_is_null(s->grid_spec) && strstr(s->text, "cluster") != NULL;
}

void wm_map_source_release(struct wm_map_source *s)
{
    wm_map_close(s->map);
    json_decref(s->grid_spec);
    json_decref(s->subranks);
    free(s->file);
    free(s->text);
    *s = (struct wm_map_source){0};
}
