/* The shadow, and the numbers that tell communicators apart on it. */
#include "core/net/shadow.h"

#include <pthread.h>
#include <stdbool.h>
#include "core/data/own_comm.h"
#include "core/error.h"
#include "core/net/net.h"

enum { NUMBERS_MAX = 1 << (31 - WM_NET_TAG_BITS), WORD_BITS = 64 };

MPI_Comm wm_net_shadow = MPI_COMM_NULL;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t taken[NUMBERS_MAX / WORD_BITS];
static int number_count;
static int first_word; /* no number below it is free */

static int count_numbers(void)
{
    int *largest_tag, found;

    if (PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &largest_tag, &found) != MPI_SUCCESS || !found)
        return 0;
    return (int)(((int64_t)*largest_tag + 1) >> WM_NET_TAG_BITS);
}

int wm_net_start(void)
{
    if (wm_own_comm_make(MPI_COMM_WORLD, &wm_net_shadow) != MPI_SUCCESS)
        return -WM_EMPI;
    number_count = count_numbers();
    return 0;
}

void wm_net_stop(void)
{
    if (wm_net_shadow != MPI_COMM_NULL)
        PMPI_Comm_free(&wm_net_shadow);
}

/* Hold the lock. The lowest that is free, or one that is none. */
static int find_free(void)
{
    while (first_word * WORD_BITS < number_count && taken[first_word] == UINT64_MAX)
        first_word++;
    if (first_word * WORD_BITS >= number_count)
        return number_count;
    return first_word * WORD_BITS + __builtin_ctzll(~taken[first_word]);
}

/* Hold the lock. */
static bool take(int number)
{
    uint64_t bit = UINT64_C(1) << number % WORD_BITS;

    if (number >= number_count || (taken[number / WORD_BITS] & bit) != 0)
        return false;
    taken[number / WORD_BITS] |= bit;
    return true;
}

int wm_net_numbers_take(int *count)
{
    int first, got = 0;

    pthread_mutex_lock(&lock);
    first = find_free();
    while (got < *count && take(first + got))
        got++;
    pthread_mutex_unlock(&lock);
    *count = got;
    return got > 0 ? first : -1;
}

void wm_net_number_give(int number)
{
    pthread_mutex_lock(&lock);
    taken[number / WORD_BITS] &= ~(UINT64_C(1) << number % WORD_BITS);
    if (number / WORD_BITS < first_word)
        first_word = number / WORD_BITS;
    pthread_mutex_unlock(&lock);
}
