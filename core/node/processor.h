/* The processors that this process may use, as hwloc tells. */
#ifndef WM_PROCESSOR_H
#define WM_PROCESSOR_H

#include <hwloc.h>

/* Ask about them: `ask` gets the machine's topology, the set of processors and `answer`. It is not called where hwloc
 * cannot tell. Takes milliseconds. */
void wm_processor_ask(void (*ask)(hwloc_topology_t topology, hwloc_const_cpuset_t cpus, void *answer), void *answer);

/* The object of `type` that holds the whole of `cpus`; NULL: there is none. */
hwloc_obj_t wm_processor_object(hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_const_cpuset_t cpus);

/* A number for the cache that this process shares with others: the first processor of the L3 cache (else package, else
 * L2 cache) that holds all processors which it may use; -1: there is none. The first to ask takes milliseconds. Any
 * thread. */
int wm_processor_cache(void);

#endif
