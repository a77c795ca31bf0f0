/* An unstructured mesh of hexahedra, a tube with holes, in as many parts as there are ranks.
 *
 * A part has **elements** of its own, and **nodes**, their corners; a node that parts share is the own of the lowest of
 * them. Elements of others that lie face to face with its own are its **ghosts**. Elements come in an order in which
 * those are first that share a node with another part: the rim. Numbers of elements and nodes are the part's, from 0;
 * ghosts' follow those of its own elements. */
#ifndef EXAMPLES_SUBRANKS_MESH_H
#define EXAMPLES_SUBRANKS_MESH_H

#include <stdbool.h>

enum { MESH_CORNERS = 8, MESH_FACES = 6 };

/* What two parts exchange, in the same order at both: numbers of elements or nodes. The buffers are the user's. */
struct mesh_peer {
    int rank, mine_count, theirs_count;
    int *mine, *theirs;
    double *out, *in;
};

struct mesh_exchange {
    int count;
    struct mesh_peer *peers;
};

struct mesh {
    int total, elements, rim, ghosts, nodes; /* total: elements of all parts */
    long *places;                            /* of own elements among those of all parts */
    int (*corners)[MESH_CORNERS];            /* of own elements */
    int (*beside)[MESH_FACES];               /* of own elements: who lies at each face; -1: nobody */
    double (*at)[3];                         /* of nodes */
    int *touching;                           /* of nodes: elements of all parts around it */
    bool *owned;                             /* of nodes */
    struct mesh_exchange faces;              /* elements: own ones at a face of theirs, and theirs among the ghosts */
    struct mesh_exchange shared;             /* nodes: own ones that they share, and theirs that are here, too */
};

/* Part `part` of `parts` of a tube of `side` by `side` elements, 8 times as long; elements of a part are as many as
 * another's, but for one. Returns false: there are fewer elements than parts. */
bool mesh_make(struct mesh *mesh, int side, int part, int parts);

/* Corners 0 to 7 have coordinates z, y, x in their bits; the corners of a face, around it as seen from outside. */
extern const int mesh_face_corners[MESH_FACES][4];

#endif
