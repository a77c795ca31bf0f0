/* Messages in a page: pairs counted, requests entered. */
#include "core/guard/post.h"

const char *wm_post_function_name(unsigned function)
{
    static const char *const names[] = {"MPI_?",
#define FUNCTION(NAME, name) name,
                                        WM_POST_FUNCTIONS(FUNCTION)
#undef FUNCTION
    };

    return names[function < WM_POST_FUNCTION_COUNT ? function : 0];
}

struct wm_page_pair *wm_post_add_pair(struct wm_page_post *post, uint32_t comm, int peer)
{
    uint32_t place = wm_post_place((uint64_t)comm << 32 ^ (uint32_t)peer, WM_PAGE_PAIRS);

    for (uint32_t i = 0; i < WM_PAGE_PROBES && post->lost == 0; i++) {
        uint32_t at = (place + i) % WM_PAGE_PAIRS;

        if (post->pairs[at].comm != 0)
            continue;
        post->pairs[at] = (struct wm_page_pair){.peer = peer, .comm = comm + 1};
        post->used[at / 64] |= UINT64_C(1) << at % 64;
        return &post->pairs[at];
    }
    post->lost = 1;
    return NULL;
}

void wm_post_forget_comm(struct wm_page_post *post, uint32_t comm)
{
    for (uint32_t word = 0; word < WM_PAGE_PAIRS / 64; word++)
        for (uint64_t left = post->used[word]; left != 0; left &= left - 1) {
            uint32_t at = word * 64 + (uint32_t)__builtin_ctzll(left);

            if (post->pairs[at].comm != comm + 1)
                continue;
            post->pairs[at].comm = 0;
            post->used[word] &= ~(UINT64_C(1) << at % 64);
        }
    for (uint32_t i = 0; i < WM_PAGE_MESSAGES; i++)
        if (post->messages[i].comm == comm)
            post->messages[i].comm = WM_PAGE_NO_COMM;
}

struct wm_page_message *wm_post_place_for(struct wm_page_post *post, uint64_t request)
{
    uint32_t first = wm_post_place(request, WM_PAGE_MESSAGES);
    struct wm_page_message *place = wm_post_own(post, request);

    for (uint32_t i = 0; place == NULL; i++) {
        struct wm_page_message *other = &post->messages[(first + i) % WM_PAGE_MESSAGES];

        if (other->request == 0 || (other->flags & (WM_POST_ACTIVE | WM_POST_PERSISTENT)) == 0 ||
            i + 1 == WM_PAGE_PROBES)
            place = other;
    }
    return place;
}
