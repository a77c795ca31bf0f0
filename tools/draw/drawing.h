/* Drawings of a scene: as text for a terminal, or as a graph for Graphviz. */
#ifndef WM_TOOLS_DRAWING_H
#define WM_TOOLS_DRAWING_H

#include "tools/proof/rounds.h"
#include "tools/site/scene.h"
#include "tools/text/table.h"

/* Everything about the scene: the rule, the path, who walks it how, the rounds, the sums. `all`: leave nothing out,
 * however long. `rounds` is not looked at where the path is native. Returns 0 or -WM_ENOMEM. */
int wm_drawing_print(const struct wm_terminal *terminal, const struct wm_scene *scene, const struct wm_rounds *rounds,
                     bool all);

/* The parts of it. `answer`: head, premise, rule and path. */
void wm_drawing_answer(const struct wm_terminal *terminal, const struct wm_scene *scene);
void wm_drawing_head(const struct wm_terminal *terminal, const struct wm_map_question *question,
                     const struct wm_facts *facts);
/* What the messages depend on and no rule can look at: a line, where there is such. */
void wm_drawing_premise(const struct wm_terminal *terminal, const struct wm_scene *scene);
void wm_drawing_path(const struct wm_terminal *terminal, const struct wm_scene *scene);
/* Which ranks walk the path how; it may not be native. */
int wm_drawing_walks(const struct wm_terminal *terminal, const struct wm_scene *scene);
int wm_drawing_rounds(const struct wm_terminal *terminal, const struct wm_scene *scene, const struct wm_rounds *rounds,
                      bool all);
int wm_drawing_sums(const struct wm_terminal *terminal, const struct wm_scene *scene, const struct wm_rounds *rounds);

/* One rank's steps alone, in the order of its plan. */
int wm_drawing_rank(const struct wm_terminal *terminal, const struct wm_scene *scene, const struct wm_rounds *rounds,
                    int rank);

/* A digraph in the language of dot: nodes as clusters of ranks, an arrow for each pair of ranks and line of the map. */
int wm_drawing_dot(FILE *out, const struct wm_scene *scene, const struct wm_rounds *rounds);

/* What a conveyor's path makes: its hops with the links of `rank` (-1: of rank 0, and no more of it), the way of one
 * item from there to `destination`, buffers, and the memory that ranks hold. */
void wm_drawing_conveyor(const struct wm_terminal *terminal, struct wm_scene *scene, int rank, int destination);
/* The hops of it alone, with the links of `rank`. */
void wm_drawing_hops(const struct wm_terminal *terminal, struct wm_scene *scene, int rank);
/* The same as a digraph: all links, of large machines (unless `all`) none, and the item's way. 0 or -WM_ENOMEM. */
int wm_drawing_conveyor_dot(FILE *out, struct wm_scene *scene, int rank, int destination, bool all);

/* How a message of the question's size goes, by the path of messages. */
void wm_drawing_message(const struct wm_terminal *terminal, const struct wm_scene *scene);

/* A digraph's title, and its ranks in their nodes: those of `shown`, NULL: all. */
void wm_dot_begin(FILE *out, const struct wm_scene *scene, const bool *shown);
/* Colours that are easy to tell apart, for numbers from 0. */
const char *wm_dot_colour(int number);

/* "gather of 8 B a block to rank 0": the call, short enough for a title. */
enum { WM_DRAWING_CALL_BYTES = 160 };
void wm_drawing_call(const struct wm_facts *facts, char out[WM_DRAWING_CALL_BYTES]);
/* The words of wm_drawing_premise; empty where there is nothing to say. */
void wm_drawing_premise_text(const struct wm_scene *scene, char out[WM_DRAWING_CALL_BYTES]);

/* "reduce core": a wrapper and its axis, short enough for a table. */
enum { WM_DRAWING_NAME_BYTES = 80 };
void wm_drawing_name(const struct wm_scene *scene, const struct wm_wrapper *wrapper, char out[WM_DRAWING_NAME_BYTES]);

/* The wrappers that a rank meets, with their lines, and how it ends: "13 reduce core (leads), 14 allreduce node". */
void wm_drawing_walk(const struct wm_scene *scene, int rank, char *out, size_t out_bytes);

#endif
