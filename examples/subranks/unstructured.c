/* A gas that moves in a tube, on an unstructured mesh, by explicit steps: ranks have a part of the mesh each. A step
 * has five superblocks, with the communication of LULESH: all agree on the step's length; nodes that parts share sum up
 * their forces meanwhile, then their owners tell where they are; elements tell their neighbours across faces how fast
 * they expand, then how viscous they are.
 *
 * Forces are added up as integers, so that their sums do not depend on an order. */
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <string.h>
#include <waymark/superblock.h>
#include "examples/subranks/application.h"
#include "examples/subranks/exact.h"
#include "examples/subranks/mesh.h"

#define FORCE_UNIT ((double)(INT64_C(1) << 40))
#define MOVING_COST 0.03 /* as those of struct unstructured_computation */

static struct mesh mesh;
static double (*velocity)[3]; /* of nodes */
static int64_t (*force)[3];   /* in 1 / FORCE_UNIT */
static double *energy, *volume, *pressure;
static double *expansion, *viscosity; /* of elements and ghosts */
static double *smooth_viscosity;
static double step_length,
    wanted_length; /* of time: all ranks', and what this rank's elements allow for the next step */

/* ---- computation ---- */

/* Half the cross product of a face's diagonals, which points outwards. */
static inline void face_area(const int *corners, const int *face, double area[3])
{
    const double *a = mesh.at[corners[face[0]]], *b = mesh.at[corners[face[1]]];
    const double *c = mesh.at[corners[face[2]]], *d = mesh.at[corners[face[3]]];
    double u[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]}, v[3] = {d[0] - b[0], d[1] - b[1], d[2] - b[2]};

    area[0] = 0.5 * (u[1] * v[2] - u[2] * v[1]);
    area[1] = 0.5 * (u[2] * v[0] - u[0] * v[2]);
    area[2] = 0.5 * (u[0] * v[1] - u[1] * v[0]);
}

/* What elements do to their corners, against a pressure of 1 from outside. */
static void add_forces(int begin, int end)
{
    for (int e = begin; e < end; e++) {
        double push = 0.25 * (pressure[e] + smooth_viscosity[e] - 1) * FORCE_UNIT;

        for (int f = 0; f < MESH_FACES; f++) {
            const int *face = mesh_face_corners[f];
            double area[3];

            face_area(mesh.corners[e], face, area);
            for (int d = 0; d < 3; d++) {
                int64_t part = (int64_t)(push * area[d]);

                for (int c = 0; c < 4; c++)
                    force[mesh.corners[e][face[c]]][d] += part;
            }
        }
    }
}

static void move_nodes(void)
{
    double started = exact_begin();

    for (int i = 0; i < mesh.nodes; i++)
        for (int d = 0; d < 3 && mesh.owned[i]; d++) {
            velocity[i][d] += step_length * 8 / mesh.touching[i] * ((double)force[i][d] / FORCE_UNIT);
            mesh.at[i][d] += step_length * velocity[i][d];
        }
    memset(force, 0, sizeof *force * (size_t)mesh.nodes);
    exact_end(started, MOVING_COST * mesh.elements / mesh.total);
}

/* How fast elements' volumes grow. */
static void expand(int begin, int end)
{
    for (int e = begin; e < end; e++) {
        double rate = 0;

        for (int f = 0; f < MESH_FACES; f++) {
            const int *face = mesh_face_corners[f];
            double area[3];

            face_area(mesh.corners[e], face, area);
            for (int c = 0; c < 4; c++) {
                const double *v = velocity[mesh.corners[e][face[c]]];

                rate += 0.25 * (area[0] * v[0] + area[1] * v[1] + area[2] * v[2]);
            }
        }
        expansion[e] = rate;
    }
}

/* The mean of what elements and their neighbours have. */
static inline double around(const double *values, int e)
{
    double sum = 2 * values[e];
    int count = 2;

    for (int f = 0; f < MESH_FACES; f++)
        if (mesh.beside[e][f] >= 0) {
            sum += values[mesh.beside[e][f]];
            count++;
        }
    return sum / count;
}

/* What is compressed resists. */
static void resist(int begin, int end)
{
    for (int e = begin; e < end; e++) {
        double compression = -around(expansion, e);

        viscosity[e] = compression > 0 ? compression * (0.5 + compression) / volume[e] : 0;
    }
}

static void change_energy(int begin, int end)
{
    for (int e = begin; e < end; e++) {
        double sound, grown = step_length * expansion[e];

        smooth_viscosity[e] = around(viscosity, e);
        energy[e] -= (pressure[e] + smooth_viscosity[e]) * grown;
        volume[e] += grown;
        pressure[e] = 0.4 * energy[e] / volume[e];
        sound = sqrt(1.4 * pressure[e] * volume[e]);
        wanted_length = fmin(wanted_length, 0.2 * cbrt(volume[e]) / (sound + fabs(expansion[e])));
    }
}

/* A computation on elements: what part of an iteration's time it takes, as measured on one rank. */
struct unstructured_computation {
    double cost;
    void (*run)(int begin, int end);
};

static const struct unstructured_computation forcing = {0.5, add_forces}, expanding = {0.25, expand},
                                             resisting = {0.08, resist}, changing = {0.14, change_energy};

static void compute(const struct unstructured_computation *c, int begin, int end)
{
    double started = exact_begin();

    c->run(begin, end);
    exact_end(started, c->cost * (end - begin) / mesh.total);
}

/* ---- messages ---- */

static void load_force(int node, double *to)
{
    memcpy(to, force[node], sizeof force[node]);
}

static void store_force(int node, const double *from)
{
    int64_t part[3];

    memcpy(part, from, sizeof part);
    for (int d = 0; d < 3; d++)
        force[node][d] += part[d];
}

static void load_motion(int node, double *to)
{
    memcpy(to, mesh.at[node], sizeof mesh.at[node]);
    memcpy(to + 3, velocity[node], sizeof velocity[node]);
}

static void store_motion(int node, const double *from)
{
    memcpy(mesh.at[node], from, sizeof mesh.at[node]);
    memcpy(velocity[node], from + 3, sizeof velocity[node]);
}

static void load_expansion(int element, double *to)
{
    *to = expansion[element];
}

static void store_expansion(int element, const double *from)
{
    expansion[element] = *from;
}

static void load_viscosity(int element, double *to)
{
    *to = viscosity[element];
}

static void store_viscosity(int element, const double *from)
{
    viscosity[element] = *from;
}

/* What is exchanged: as doubles, whatever they hold. It goes from the owners to the others, or back. */
struct unstructured_quantity {
    struct mesh_exchange *exchange;
    bool back;
    int doubles;
    void (*load)(int number, double *to);
    void (*store)(int number, const double *from);
};

static const struct unstructured_quantity forces = {&mesh.shared, true, 3, load_force, store_force};
static const struct unstructured_quantity motions = {&mesh.shared, false, 6, load_motion, store_motion};
static const struct unstructured_quantity expansions = {&mesh.faces, false, 1, load_expansion, store_expansion};
static const struct unstructured_quantity viscosities = {&mesh.faces, false, 1, load_viscosity, store_viscosity};

static MPI_Request *requests; /* two for each peer, and one */

static void receive(const struct unstructured_quantity *q)
{
    for (int i = 0; i < q->exchange->count; i++) {
        struct mesh_peer *peer = &q->exchange->peers[i];
        int count = q->back ? peer->mine_count : peer->theirs_count;

        MPI_Irecv(peer->in, count * q->doubles, MPI_DOUBLE, application_neighbour(peer->rank), 0, MPI_COMM_WORLD,
                  &requests[2 * i]);
    }
}

static void send(const struct unstructured_quantity *q)
{
    for (int i = 0; i < q->exchange->count; i++) {
        struct mesh_peer *peer = &q->exchange->peers[i];
        int count = q->back ? peer->theirs_count : peer->mine_count;
        const int *numbers = q->back ? peer->theirs : peer->mine;

        for (int k = 0; k < count; k++)
            q->load(numbers[k], peer->out + (long)k * q->doubles);
        MPI_Isend(peer->out, count * q->doubles, MPI_DOUBLE, application_neighbour(peer->rank), 0, MPI_COMM_WORLD,
                  &requests[2 * i + 1]);
    }
}

static void finish(const struct unstructured_quantity *q)
{
    MPI_Waitall(2 * q->exchange->count, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < q->exchange->count; i++) {
        struct mesh_peer *peer = &q->exchange->peers[i];
        int count = q->back ? peer->mine_count : peer->theirs_count;
        const int *numbers = q->back ? peer->mine : peer->theirs;

        for (int k = 0; k < count; k++)
            q->store(numbers[k], peer->in + (long)k * q->doubles);
    }
}

static void agree(MPI_Request *request)
{
    step_length = wanted_length;
    wanted_length = 1;
    application_allreduce(&step_length, 1, MPI_MIN, request);
}

/* ---- the problem ---- */

static void begin_exchange(struct mesh_exchange *exchange, int doubles)
{
    for (int i = 0; i < exchange->count; i++) {
        struct mesh_peer *peer = &exchange->peers[i];

        peer->out = application_doubles((long)doubles * (peer->mine_count + peer->theirs_count));
        peer->in = application_doubles((long)doubles * (peer->mine_count + peer->theirs_count));
    }
}

static const char *begin(void)
{
    if (!mesh_make(&mesh, size, rank, ranks))
        return "each rank needs an element, and some are left out";
    begin_exchange(&mesh.shared, motions.doubles);
    begin_exchange(&mesh.faces, expansions.doubles);
    requests = (MPI_Request *)application_doubles(2L * ranks + 1);
    velocity = (double(*)[3])application_doubles(3L * mesh.nodes);
    force = (int64_t(*)[3])application_doubles(3L * mesh.nodes);
    energy = application_doubles(mesh.elements), volume = application_doubles(mesh.elements);
    pressure = application_doubles(mesh.elements), smooth_viscosity = application_doubles(mesh.elements);
    expansion = application_doubles(mesh.elements + mesh.ghosts);
    viscosity = application_doubles(mesh.elements + mesh.ghosts);
    for (int e = 0; e < mesh.elements; e++) {
        volume[e] = 1;
        pressure[e] = 0.8 + 0.4 * application_random(mesh.places[e]);
        energy[e] = pressure[e] / 0.4;
    }
    wanted_length = 0.05;
    return NULL;
}

/* ---- variants ---- */

static void original(void)
{
    MPI_Request agreement;

    for (int i = 0; i < iterations; i++) {
        WM_SUPERBLOCK_BEGIN("length");
        WM_REGION(send);
        agree(&agreement);
        WM_SUPERBLOCK_BEGIN("forces");
        WM_REGION(compute);
        compute(&forcing, 0, mesh.elements);
        WM_REGION(receive);
        receive(&forces);
        WM_REGION(send);
        send(&forces);
        WM_REGION(compute);
        finish(&forces);
        WM_SUPERBLOCK_END;
        WM_REGION(compute);
        MPI_Wait(&agreement, MPI_STATUS_IGNORE);
        move_nodes();
        WM_SUPERBLOCK_END;

        WM_SUPERBLOCK_BEGIN("motions");
        WM_REGION(receive);
        receive(&motions);
        WM_REGION(send);
        send(&motions);
        WM_REGION(compute);
        finish(&motions);
        compute(&expanding, 0, mesh.elements);
        WM_SUPERBLOCK_END;

        WM_SUPERBLOCK_BEGIN("expansions");
        WM_REGION(receive);
        receive(&expansions);
        WM_REGION(send);
        send(&expansions);
        WM_REGION(compute);
        finish(&expansions);
        compute(&resisting, 0, mesh.elements);
        WM_SUPERBLOCK_END;

        WM_SUPERBLOCK_BEGIN("viscosities");
        WM_REGION(receive);
        receive(&viscosities);
        WM_REGION(send);
        send(&viscosities);
        WM_REGION(compute);
        finish(&viscosities);
        compute(&changing, 0, mesh.elements);
        WM_SUPERBLOCK_END;
    }
}

/* The rim's elements are computed before their messages, or after them; those inside, while they travel. */
static void overlap(void)
{
    MPI_Request agreement;

    for (int i = 0; i < iterations; i++) {
        agree(&agreement);
        compute(&forcing, 0, mesh.rim);
        receive(&forces);
        send(&forces);
        compute(&forcing, mesh.rim, mesh.elements);
        finish(&forces);
        MPI_Wait(&agreement, MPI_STATUS_IGNORE);
        move_nodes();
        receive(&motions);
        send(&motions);
        compute(&expanding, mesh.rim, mesh.elements);
        finish(&motions);
        compute(&expanding, 0, mesh.rim);
        receive(&expansions);
        send(&expansions);
        compute(&resisting, mesh.rim, mesh.elements);
        finish(&expansions);
        compute(&resisting, 0, mesh.rim);
        receive(&viscosities);
        send(&viscosities);
        compute(&changing, mesh.rim, mesh.elements);
        finish(&viscosities);
        compute(&changing, 0, mesh.rim);
    }
}

/* ---- results ---- */

static long total(void)
{
    return mesh.total;
}

static long count(void)
{
    return mesh.elements;
}

static long place(long i)
{
    return mesh.places[i];
}

static double result(long i)
{
    return energy[i];
}

const struct application application = {
    .name = "unstructured",
    .sized = "elements across",
    .size = 12,
    .iterations = 20,
    .largest = 512,
    .is_exact = true,
    .begin = begin,
    .original = original,
    .overlap = overlap,
    .total = total,
    .count = count,
    .place = place,
    .result = result,
};
