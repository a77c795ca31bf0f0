/* Scopes: statements of programs that do not use the macros. */
#include <stdlib.h>
#include <string.h>
#include "core/communicate/deal.h"
#include "core/data/allocate.h"

struct wm_scope {
    struct wm_statement_site site;
    int count;
    struct wm_bound bindings[WM_BINDINGS_MAX];
    char *names[WM_BINDINGS_MAX];
    union wm_scalar values[WM_BINDINGS_MAX];
};

static char *copy(const char *text)
{
    size_t bytes = strlen(text) + 1;

    return memcpy(wm_allocate(bytes, "a statement"), text, bytes);
}

struct wm_scope *wm_scope_new(const char *text, const char *file, int line)
{
    struct wm_scope *scope = wm_allocate_zeroed(sizeof *scope, "a statement");

    scope->site =
        (struct wm_statement_site){.text = copy(text), .file = copy(file != NULL ? file : "statement"), .line = line};
    return scope;
}

void wm_scope_free(struct wm_scope *scope)
{
    wm_deals_forget(&scope->site);
    for (int i = 0; i < scope->count; i++)
        free(scope->names[i]);
    free((char *)(uintptr_t)scope->site.text);
    free((char *)(uintptr_t)scope->site.file);
    free(scope);
}

/* One statement serves both. */
static bool are_alike(const struct wm_bound *a, const struct wm_bound *b)
{
    return wm_bindings_hash(a, 1) == wm_bindings_hash(b, 1) && a->stride == b->stride;
}

void wm_scope_bind(struct wm_scope *scope, const struct wm_bound *binding)
{
    struct wm_bound kept;
    int i = 0;

    while (i < scope->count && strcmp(scope->names[i], binding->name) != 0)
        i++;
    if (i == WM_BINDINGS_MAX)
        wm_deal_refuse(&scope->site, "a statement has at most 64 bindings");
    if (i == scope->count || !are_alike(&scope->bindings[i], binding)) {
        wm_deals_forget(&scope->site);
        scope->bindings[i].name = NULL;
    }
    if (i == scope->count)
        scope->names[scope->count++] = copy(binding->name);
    kept = wm_binding_keep(binding, &scope->values[i]);
    kept.name = scope->names[i];
    wm_bound_keep(&scope->site, &scope->bindings[i], kept);
}

struct wm_scope *wm_scope_of(const struct wm_statement_site *site, const struct wm_bound bindings[], int count)
{
    struct wm_scope *scope = wm_scope_new(site->text, site->file, site->line);
    struct wm_bound named[WM_BINDINGS_MAX];
    char *names[WM_BINDINGS_MAX];

    if (count > WM_BINDINGS_MAX)
        wm_deal_refuse(site, "a statement has at most 64 bindings");
    memcpy(named, bindings, sizeof *named * (size_t)count);
    wm_bindings_name(site, named, count, names);
    for (int i = 0; i < count; i++) {
        wm_scope_bind(scope, &named[i]);
        free(names[i]);
    }
    return scope;
}

void wm_scope_bind_numbers(struct wm_scope *scope, const char *name, void *at, int number, int dimensions,
                           const size_t extents[], int promises)
{
    struct wm_bound b = {.name = name,
                         .kind = WM_BOUND_PLACE,
                         .number = (unsigned char)number,
                         .promises = (unsigned char)promises,
                         .dimensions = (unsigned char)dimensions,
                         .at = at};

    if (number <= WM_BYTES || number > WM_DOUBLE || dimensions < 0 || dimensions > WM_DIMENSIONS)
        wm_deal_refuse(&scope->site, "numbers are of a type of enum wm_number, and arrays of at most 3 dimensions");
    for (int d = 0; d < dimensions; d++)
        b.extents[d] = extents[d];
    wm_scope_bind(scope, &b);
}

static int make(struct wm_scope *scope, MPI_Comm comm, MPI_Request *request)
{
    return request != NULL ? wm_icommunicate(comm, &scope->site, scope->bindings, scope->count, request)
                           : wm_communicate(comm, &scope->site, scope->bindings, scope->count);
}

int wm_scope_communicate(struct wm_scope *scope, MPI_Comm comm)
{
    return make(scope, comm, NULL);
}

int wm_scope_icommunicate(struct wm_scope *scope, MPI_Comm comm, MPI_Request *request)
{
    return make(scope, comm, request);
}

int wm_scope_communicate_f(struct wm_scope *scope, MPI_Fint comm)
{
    return make(scope, PMPI_Comm_f2c(comm), NULL);
}

int wm_scope_icommunicate_f(struct wm_scope *scope, MPI_Fint comm, MPI_Fint *request)
{
    MPI_Request c_request;
    int rc = make(scope, PMPI_Comm_f2c(comm), &c_request);

    *request = PMPI_Request_c2f(c_request);
    return rc;
}
