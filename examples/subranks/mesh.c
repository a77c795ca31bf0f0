/* An unstructured mesh of hexahedra, a tube with holes, in as many parts as there are ranks. */
#include "examples/subranks/mesh.h"

#include <limits.h>
#include <stdlib.h>
#include "examples/subranks/application.h"

/* Times its side. */
enum { MESH_LENGTH = 8 };
enum { HOLE = -1, NOBODY = -1 };

const int mesh_face_corners[MESH_FACES][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                              {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};

/* Faces' neighbours, in the order of faces. */
static const int beside[MESH_FACES][3] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}};

/* What a part is made from: the tube's cells and nodes, those of the part with their numbers there. */
struct mesh_plan {
    int side, part, parts;
    int *parts_of; /* of cells: the part; HOLE: no element */
    int *places;   /* of cells: among all elements */
    int *cell_numbers, *node_numbers;
};

static int *ints(long count)
{
    return (int *)application_doubles((count + 1) / 2);
}

static int cell_of(const struct mesh_plan *plan, int z, int y, int x)
{
    int n = plan->side;

    return z < 0 || y < 0 || x < 0 || z >= MESH_LENGTH * n || y >= n || x >= n ? NOBODY : (z * n + y) * n + x;
}

static int part_at(const struct mesh_plan *plan, int z, int y, int x)
{
    int cell = cell_of(plan, z, y, x);

    return cell == NOBODY ? HOLE : plan->parts_of[cell];
}

static void coordinates(int cell, int side, int at[3])
{
    at[0] = cell / side / side, at[1] = cell / side % side, at[2] = cell % side;
}

/* ---- parts: recursive bisection by coordinates ---- */

static int sorted_side, sorted_dimension;

static int by_coordinate(const void *a, const void *b)
{
    int one = *(const int *)a, other = *(const int *)b, at_one[3], at_other[3];

    coordinates(one, sorted_side, at_one);
    coordinates(other, sorted_side, at_other);
    if (at_one[sorted_dimension] != at_other[sorted_dimension])
        return at_one[sorted_dimension] - at_other[sorted_dimension];
    return one - other;
}

static int longest_dimension(const int *cells, int count, int side)
{
    int low[3] = {INT_MAX, INT_MAX, INT_MAX}, high[3] = {0}, at[3], longest = 0;

    for (int i = 0; i < count; i++) {
        coordinates(cells[i], side, at);
        for (int d = 0; d < 3; d++) {
            low[d] = at[d] < low[d] ? at[d] : low[d];
            high[d] = at[d] > high[d] ? at[d] : high[d];
        }
    }
    for (int d = 1; d < 3; d++)
        if (high[d] - low[d] > high[longest] - low[longest])
            longest = d;
    return longest;
}

static void bisect(const struct mesh_plan *plan, int *cells, int count, int first_part, int parts)
{
    int half = parts / 2, cut = application_first(count, parts, half);

    if (parts == 1) {
        for (int i = 0; i < count; i++)
            plan->parts_of[cells[i]] = first_part;
        return;
    }
    sorted_side = plan->side;
    sorted_dimension = longest_dimension(cells, count, plan->side);
    qsort(cells, (size_t)count, sizeof *cells, by_coordinate);
    bisect(plan, cells, cut, first_part, half);
    bisect(plan, cells + cut, count - cut, first_part + half, parts - half);
}

/* One in 16 blocks of 4 by 4 by 4 cells is a hole. */
static bool is_hole(int cell, int side)
{
    int at[3];

    coordinates(cell, side, at);
    return application_random(((at[0] / 4L) * side + at[1] / 4) * side + at[2] / 4) < 1.0 / 16;
}

/* Returns the number of elements. */
static int deal(struct mesh_plan *plan)
{
    int cells = MESH_LENGTH * plan->side * plan->side * plan->side, count = 0, *elements = ints(cells);

    plan->parts_of = ints(cells);
    plan->places = ints(cells);
    for (int cell = 0; cell < cells; cell++) {
        plan->parts_of[cell] = HOLE;
        plan->places[cell] = count;
        if (!is_hole(cell, plan->side))
            elements[count++] = cell;
    }
    if (count >= plan->parts)
        bisect(plan, elements, count, 0, plan->parts);
    free(elements);
    return count;
}

/* ---- exchanges ---- */

static void append(int **list, int *count, int number)
{
    if ((*count & (*count - 1)) == 0) {
        int *larger = ints(*count > 0 ? 2L * *count : 1);

        for (int i = 0; i < *count; i++)
            larger[i] = (*list)[i];
        free(*list);
        *list = larger;
    }
    (*list)[(*count)++] = number;
}

static struct mesh_peer *peer_of(struct mesh_exchange *exchange, int other)
{
    for (int i = 0; i < exchange->count; i++)
        if (exchange->peers[i].rank == other)
            return &exchange->peers[i];
    exchange->peers[exchange->count].rank = other;
    return &exchange->peers[exchange->count++];
}

static void add_mine(struct mesh_exchange *exchange, int other, int number)
{
    struct mesh_peer *peer = peer_of(exchange, other);

    append(&peer->mine, &peer->mine_count, number);
}

static void add_theirs(struct mesh_exchange *exchange, int other, int number)
{
    struct mesh_peer *peer = peer_of(exchange, other);

    append(&peer->theirs, &peer->theirs_count, number);
}

/* ---- elements ---- */

/* True: some cell around this one is another part's. */
static bool is_rim(const struct mesh_plan *plan, const int at[3])
{
    for (int i = 0; i < 27; i++) {
        int part = part_at(plan, at[0] + i / 9 - 1, at[1] + i / 3 % 3 - 1, at[2] + i % 3 - 1);

        if (part != HOLE && part != plan->part)
            return true;
    }
    return false;
}

static void number_elements(struct mesh *mesh, struct mesh_plan *plan, bool of_rim)
{
    int cells = MESH_LENGTH * plan->side * plan->side * plan->side, at[3];

    for (int cell = 0; cell < cells; cell++) {
        coordinates(cell, plan->side, at);
        if (plan->parts_of[cell] != plan->part || is_rim(plan, at) != of_rim)
            continue;
        plan->cell_numbers[cell] = mesh->elements;
        mesh->places[mesh->elements++] = plan->places[cell];
    }
}

/* Number the ghosts; what goes to a part and what comes from it are in the order of cells. */
static void find_ghosts(struct mesh *mesh, struct mesh_plan *plan)
{
    int cells = MESH_LENGTH * plan->side * plan->side * plan->side, at[3];

    for (int cell = 0; cell < cells; cell++) {
        int part = plan->parts_of[cell], told[MESH_FACES], count = 0;

        coordinates(cell, plan->side, at);
        for (int f = 0; f < MESH_FACES && part != HOLE; f++) {
            int other = part_at(plan, at[0] + beside[f][0], at[1] + beside[f][1], at[2] + beside[f][2]);
            bool known = other == HOLE || other == part || (part != plan->part && other != plan->part);

            for (int i = 0; i < count; i++)
                known |= told[i] == other;
            if (known)
                continue;
            told[count++] = other;
            if (part == plan->part) {
                add_mine(&mesh->faces, other, plan->cell_numbers[cell]);
            } else {
                plan->cell_numbers[cell] = mesh->elements + mesh->ghosts;
                add_theirs(&mesh->faces, part, mesh->elements + mesh->ghosts++);
            }
        }
    }
}

static void connect_element(struct mesh *mesh, const struct mesh_plan *plan, int cell)
{
    int n = plan->side + 1, number = plan->cell_numbers[cell], at[3];

    coordinates(cell, plan->side, at);
    for (int c = 0; c < MESH_CORNERS; c++)
        mesh->corners[number][c] =
            plan->node_numbers[((at[0] + (c >> 2)) * n + at[1] + (c >> 1 & 1)) * n + at[2] + (c & 1)];
    for (int f = 0; f < MESH_FACES; f++) {
        int other = cell_of(plan, at[0] + beside[f][0], at[1] + beside[f][1], at[2] + beside[f][2]);

        mesh->beside[number][f] = other == NOBODY || plan->parts_of[other] == HOLE ? NOBODY : plan->cell_numbers[other];
    }
}

/* ---- nodes ---- */

/* The parts around a node, each once; returns how many. */
static int parts_around(const struct mesh_plan *plan, const int at[3], int parts[MESH_CORNERS], int *elements)
{
    int count = 0;

    *elements = 0;
    for (int c = 0; c < MESH_CORNERS; c++) {
        int part = part_at(plan, at[0] - (c >> 2), at[1] - (c >> 1 & 1), at[2] - (c & 1));
        bool known = part == HOLE;

        *elements += part != HOLE;
        for (int i = 0; i < count; i++)
            known |= parts[i] == part;
        if (!known)
            parts[count++] = part;
    }
    return count;
}

static void add_node(struct mesh *mesh, const struct mesh_plan *plan, const int at[3])
{
    int parts[MESH_CORNERS], elements, count = parts_around(plan, at, parts, &elements);
    int number = mesh->nodes, owner = plan->parts;
    bool is_here = false;

    for (int i = 0; i < count; i++) {
        is_here |= parts[i] == plan->part;
        owner = parts[i] < owner ? parts[i] : owner;
    }
    if (!is_here)
        return;
    for (int i = 0; i < count && owner == plan->part; i++)
        if (parts[i] != plan->part)
            add_mine(&mesh->shared, parts[i], number);
    if (owner != plan->part)
        add_theirs(&mesh->shared, owner, number);
    for (int d = 0; d < 3; d++)
        mesh->at[number][d] = at[d];
    mesh->touching[number] = elements;
    mesh->owned[number] = owner == plan->part;
    plan->node_numbers[(at[0] * (plan->side + 1) + at[1]) * (plan->side + 1) + at[2]] = number;
    mesh->nodes++;
}

/* ---- the whole ---- */

static void allocate(struct mesh *mesh, struct mesh_plan *plan)
{
    long cells = MESH_LENGTH * (long)plan->side * plan->side * plan->side,
         nodes = (MESH_LENGTH * (long)plan->side + 1) * (plan->side + 1) * (plan->side + 1);
    long own = mesh->total / plan->parts + 1, own_nodes = MESH_CORNERS * own < nodes ? MESH_CORNERS * own : nodes;

    plan->cell_numbers = ints(cells);
    plan->node_numbers = ints(nodes);
    mesh->places = (long *)application_doubles(own);
    mesh->corners = (int(*)[MESH_CORNERS])ints(own * MESH_CORNERS);
    mesh->beside = (int(*)[MESH_FACES])ints(own * MESH_FACES);
    mesh->at = (double(*)[3])application_doubles(own_nodes * 3);
    mesh->touching = ints(own_nodes);
    mesh->owned = (bool *)ints(own_nodes);
    mesh->faces.peers = calloc((size_t)plan->parts, sizeof *mesh->faces.peers);
    mesh->shared.peers = calloc((size_t)plan->parts, sizeof *mesh->shared.peers);
}

bool mesh_make(struct mesh *mesh, int side, int part, int parts)
{
    struct mesh_plan plan = {.side = side, .part = part, .parts = parts};
    int n = side + 1;

    *mesh = (struct mesh){.total = deal(&plan)};
    if (mesh->total < parts)
        return false;
    allocate(mesh, &plan);
    number_elements(mesh, &plan, true);
    mesh->rim = mesh->elements;
    number_elements(mesh, &plan, false);
    find_ghosts(mesh, &plan);
    for (int i = 0; i < (MESH_LENGTH * side + 1) * n * n; i++) {
        int at[3];

        coordinates(i, n, at);
        add_node(mesh, &plan, at);
    }
    for (int cell = 0; cell < MESH_LENGTH * side * side * side; cell++)
        if (plan.parts_of[cell] == part)
            connect_element(mesh, &plan, cell);
    free(plan.parts_of);
    free(plan.places);
    free(plan.cell_numbers);
    free(plan.node_numbers);
    return true;
}
