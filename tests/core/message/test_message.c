/* Messages against a model: envelopes of four protocols between the endpoints of a group, at random; what becomes of
 * each is what plain lists say, searched linearly. */
#include <stdlib.h>
#include <string.h>
#include "tests/check.h"
#include "tests/core/message/model.h"
#include "waymark/message.h"

enum { KEPT = 2000, STEPS = 200000, PHASE_STEPS = 2000 };

static void open_all(void)
{
    static const struct wm_message_limits limits = {.eager_bytes = EAGER, .unexpected_bytes = KEPT};

    memset(ends, 0, sizeof ends);
    memset(letters, 0, sizeof letters);
    each = endpoints;
    kept_bytes_max = KEPT;
    group = wm_endpoints_new(endpoints, &limits);
    for (int i = 0; i < endpoints; i++)
        for (int kind = 0; kind < MODELS; kind++)
            CU_ASSERT_EQUAL(kinds[kind].open(&ends[i][kind].p, group, i, kinds[kind].name), WM_MESSAGE_DONE);
}

/* Closing leaves nothing under way. */
static void close_all(void)
{
    for (int i = 0; i < LETTERS; i++)
        CU_ASSERT(receive_taken_one(&letters[i]));
    for (int i = 0; i < endpoints; i++)
        for (int kind = 0; kind < MODELS; kind++)
            kinds[kind].close(&ends[i][kind].p);
    for (int i = 0; i < LETTERS; i++)
        if (letters[i].used)
            CU_ASSERT(kinds[letters[i].kind].message(&letters[i].e)->complete);
    wm_endpoints_free(group);
}

static void messages__become_what_the_model_says(void)
{
    static const uint32_t sends[] = {50, 75, 25}, ranges[] = {2, 12, 300};
    uint64_t steps = fuzz_steps(STEPS) / 4;
    bool right = true;

    for (endpoints = 1; right && endpoints <= ENDPOINTS_MAX; endpoints *= 2) {
        open_all();
        for (uint64_t i = 0; right && i < steps; i++) {
            right = step(sends[i / PHASE_STEPS % 3], ranges[i / PHASE_STEPS / 3 % 3]) && all_right();
            collect();
        }
        CU_ASSERT(right);
        close_all();
    }
}

/* A group of two endpoints with one protocol. */
static struct number ends_of_two[2];

static void open_two(struct wm_message_limits limits)
{
    group = wm_endpoints_new(2, &limits);
    for (int i = 0; i < 2; i++)
        CU_ASSERT_EQUAL(number_open(&ends_of_two[i], group, i, "number"), WM_MESSAGE_DONE);
}

static void close_two(void)
{
    number_close(&ends_of_two[0]);
    number_close(&ends_of_two[1]);
    wm_endpoints_free(group);
}

static void check_sentence(const struct wm_protocol *p, const struct wm_envelope *e, const char *expected)
{
    char sentence[400];

    CU_ASSERT_STRING_EQUAL(wm_message_sentence(p, e, sentence, sizeof sentence), expected);
}

static struct number_envelope letter(int number, void *buffer, size_t bytes, int peer)
{
    return (struct number_envelope){.header = {number}, .message = {.buffer = buffer, .bytes = bytes, .peer = peer}};
}

static void a_receive__that_is_too_small_says_so(void)
{
    char text[] = "0123456789", room[4] = "";
    struct number_envelope sent = letter(7, text, 10, 1), received = letter(7, room, 3, 0);

    open_two((struct wm_message_limits){0});
    CU_ASSERT_EQUAL(number_send(&ends_of_two[0], &sent), WM_MESSAGE_DONE);
    CU_ASSERT_EQUAL(number_receive(&ends_of_two[1], &received), WM_MESSAGE_TRUNCATED);
    CU_ASSERT_STRING_EQUAL(room, "012");
    check_sentence(&ends_of_two[1].common, &received.message,
                   "'number': the message of 10 bytes from endpoint 0 is longer "
                   "than the receive of 3 at endpoint 1");
    close_two();
}

static void a_protocol__that_the_peer_does_not_know_is_named(void)
{
    struct number_envelope sent = letter(7, NULL, 0, 1);
    struct urgent urgent;
    struct number number;

    group = wm_endpoints_new(2, &(struct wm_message_limits){0});
    CU_ASSERT_EQUAL(number_open(&number, group, 0, "number"), WM_MESSAGE_DONE);
    CU_ASSERT_EQUAL(urgent_open(&urgent, group, 1, "urgent"), WM_MESSAGE_DONE);
    CU_ASSERT_EQUAL(number_send(&number, &sent), WM_MESSAGE_UNKNOWN);
    check_sentence(&number.common, &sent.message,
                   "endpoint 0 sends by the protocol 'number', which endpoint 1 "
                   "does not know (it knows: 'urgent')");
    sent.message.peer = 2;
    CU_ASSERT_EQUAL(number_send(&number, &sent), WM_MESSAGE_RANGE);
    check_sentence(&number.common, &sent.message,
                   "'number': endpoint 0 sends to endpoint 2, but there are 2, from 0 on");
    number_close(&number);
    urgent_close(&urgent);
    wm_endpoints_free(group);
}

static void a_protocol__is_opened_once_with_one_header(void)
{
    struct number number, again;
    struct urgent urgent;

    group = wm_endpoints_new(2, &(struct wm_message_limits){0});
    CU_ASSERT_EQUAL(number_open(&number, group, 0, "mail"), WM_MESSAGE_DONE);
    CU_ASSERT_EQUAL(number_open(&again, group, 0, "mail"), WM_MESSAGE_TWICE);
    check_sentence(&again.common, NULL, "endpoint 0 opens 'mail': the endpoint has opened the protocol already");
    CU_ASSERT_EQUAL(urgent_open(&urgent, group, 1, "mail"), WM_MESSAGE_HEADER);
    check_sentence(&urgent.common, NULL,
                   "endpoint 1 opens 'mail' with headers of 8 bytes, but others "
                   "have them of 4");
    CU_ASSERT_EQUAL(number_open(&again, group, 2, "mail"), WM_MESSAGE_RANGE);
    check_sentence(&again.common, NULL, "endpoint 2 opens 'mail', but there are 2 endpoints, from 0 on");
    number_close(&number);
    CU_ASSERT_EQUAL(number_open(&number, group, 0, "mail"), WM_MESSAGE_DONE);
    number_close(&number);
    wm_endpoints_free(group);
}

static void an_envelope__that_is_under_way_is_refused(void)
{
    struct number_envelope received = letter(7, NULL, 0, 0), waits = letter(8, NULL, 0, 1);

    open_two((struct wm_message_limits){.receives = 1});
    CU_ASSERT_EQUAL(number_receive(&ends_of_two[1], &received), WM_MESSAGE_DONE);
    CU_ASSERT_EQUAL(number_receive(&ends_of_two[1], &received), WM_MESSAGE_BUSY);
    CU_ASSERT_EQUAL(number_send(&ends_of_two[1], &received), WM_MESSAGE_BUSY);
    check_sentence(&ends_of_two[1].common, &received.message, "'number': endpoint 1: the envelope is under way");
    CU_ASSERT_EQUAL(number_receive(&ends_of_two[1], &waits), WM_MESSAGE_FULL);
    check_sentence(&ends_of_two[1].common, &waits.message, "'number': at endpoint 1 1 receives wait, and no more may");
    CU_ASSERT(number_cancel(&ends_of_two[1], &received));
    CU_ASSERT(!number_cancel(&ends_of_two[1], &received));
    close_two();
}

static void a_message__with_wildcards_is_refused(void)
{
    struct urgent_envelope sent = {.header = {ANY, 0}, .message = {.peer = 0}}, received = {.header = {ANY, 0}};
    struct urgent urgent;

    group = wm_endpoints_new(1, &(struct wm_message_limits){0});
    CU_ASSERT_EQUAL(urgent_open(&urgent, group, 0, "urgent"), WM_MESSAGE_DONE);
    CU_ASSERT_EQUAL(urgent_receive(&urgent, &received), WM_MESSAGE_DONE);
    CU_ASSERT_EQUAL(urgent_send(&urgent, &sent), WM_MESSAGE_WILD);
    CU_ASSERT(!received.message.complete);
    check_sentence(&urgent.common, &sent.message, "'urgent': endpoint 0: a message has wildcards");
    urgent_close(&urgent);
    wm_endpoints_free(group);
}

/* Whichever end closes it. */
static void what_waits__ends_when_the_protocol_is_closed(void)
{
    struct number_envelope sent = letter(7, NULL, 0, 1), back = letter(7, NULL, 0, 0), received = letter(8, NULL, 0, 0);

    open_two((struct wm_message_limits){0});
    sent.message.rendezvous = back.message.rendezvous = true;
    CU_ASSERT_EQUAL(number_send(&ends_of_two[0], &sent), WM_MESSAGE_DONE);
    CU_ASSERT_EQUAL(number_send(&ends_of_two[1], &back), WM_MESSAGE_DONE);
    CU_ASSERT_EQUAL(number_receive(&ends_of_two[1], &received), WM_MESSAGE_DONE);
    number_close(&ends_of_two[1]);
    CU_ASSERT(sent.message.complete && sent.message.error == WM_MESSAGE_CLOSED);
    CU_ASSERT(back.message.complete && back.message.error == WM_MESSAGE_CANCELLED);
    CU_ASSERT(received.message.complete && received.message.error == WM_MESSAGE_CANCELLED);
    check_sentence(&ends_of_two[0].common, &sent.message,
                   "'number': endpoint 1 has closed it without receiving what "
                   "endpoint 0 sent");
    CU_ASSERT_EQUAL(ends_of_two[0].common.unexpected.entries, 0);
    number_close(&ends_of_two[0]);
    wm_endpoints_free(group);
}

/* What does not fit stays with its senders; all of it arrives, in order. */
static void unexpected_messages__take_no_more_memory_than_allowed(void)
{
    enum { MANY = 100000, LIMIT = 1000, COPY_BYTES = sizeof(struct number_envelope) + sizeof(int) };
    struct number_envelope *sent = calloc(MANY, sizeof *sent), received;
    static int numbers[MANY];
    int number, waiting = 0, wrong = 0;

    open_two((struct wm_message_limits){.unexpected_bytes = LIMIT * COPY_BYTES});
    for (int i = 0; i < MANY; i++) {
        numbers[i] = i;
        sent[i] = letter(7, &numbers[i], sizeof(int), 1);
        CU_ASSERT_EQUAL_FATAL(number_send(&ends_of_two[0], &sent[i]), WM_MESSAGE_DONE);
        waiting += !sent[i].message.complete;
    }
    CU_ASSERT_EQUAL(waiting, MANY - LIMIT);
    CU_ASSERT_EQUAL(ends_of_two[1].common.kept_bytes, LIMIT * COPY_BYTES);
    for (int i = 0; i < MANY; i++) {
        received = letter(7, &number, sizeof number, 0);
        wrong +=
            number_receive(&ends_of_two[1], &received) != WM_MESSAGE_DONE || number != i || !sent[i].message.complete;
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT_EQUAL(ends_of_two[1].common.kept_bytes, 0);
    close_two();
    free(sent);
}

static char told[400];
static int told_count;

static void tell(const char *sentence)
{
    strncpy(told, sentence, sizeof told - 1);
    told_count++;
}

/* Before they stay with their senders. */
static void memory__is_told_before_it_is_used_up(void)
{
    enum { LIMIT = 100, COPY_BYTES = sizeof(struct number_envelope) };
    struct number_envelope sent = letter(7, NULL, 0, 1);

    told_count = 0;
    open_two((struct wm_message_limits){.unexpected_bytes = LIMIT * COPY_BYTES, .tell = tell});
    for (int i = 0; i < LIMIT; i++) {
        CU_ASSERT_EQUAL(told_count, i > LIMIT * 3 / 4);
        CU_ASSERT_EQUAL(number_send(&ends_of_two[0], &sent), WM_MESSAGE_DONE);
        CU_ASSERT(sent.message.complete);
    }
    CU_ASSERT_EQUAL(number_send(&ends_of_two[0], &sent), WM_MESSAGE_DONE);
    CU_ASSERT(!sent.message.complete);
    close_two();
    CU_ASSERT_EQUAL(told_count, 1);
    CU_ASSERT_PTR_NOT_NULL(strstr(told, "'number' at endpoint 1: messages that no receive waits for take "));
}

/* All of a group: the key does not tell them apart. */
static void keys__that_are_alike_are_told(void)
{
    enum { MANY = 100 };
    struct range_envelope sent = {.header = {0, 0, 0}}, received = {.header = {0, 0, 0}};
    struct range p;

    told_count = 0;
    group = wm_endpoints_new(1, &(struct wm_message_limits){.tell_keys = tell});
    CU_ASSERT_EQUAL(range_open(&p, group, 0, "range"), WM_MESSAGE_DONE);
    for (sent.header.low = 0; sent.header.low < MANY; sent.header.low++)
        CU_ASSERT_EQUAL(range_send(&p, &sent), WM_MESSAGE_DONE);
    for (int i = MANY - 1; i >= 0; i--) {
        received.header.low = received.header.high = i;
        CU_ASSERT_EQUAL(range_receive(&p, &received), WM_MESSAGE_DONE);
        CU_ASSERT(received.message.complete);
    }
    range_close(&p);
    wm_endpoints_free(group);
    CU_ASSERT_EQUAL(told_count, 1);
    CU_ASSERT_STRING_EQUAL(told, "'range' at endpoint 0: headers of equal keys were searched through, 4950 times one "
                                 "that did not match: more of the header should be in the key");
}

static void numbers__are_converted_exactly_or_refused(void)
{
    int64_t sent_numbers[] = {1, -2, 3, INT64_C(1) << 40};
    double received_numbers[4];
    int32_t narrow[4] = {0};
    struct number_envelope sent = letter(7, sent_numbers, sizeof sent_numbers, 1);
    struct number_envelope received = letter(7, received_numbers, sizeof received_numbers, 0);

    open_two((struct wm_message_limits){0});
    sent.message.number = WM_INT64;
    received.message.number = WM_DOUBLE;
    CU_ASSERT_EQUAL(number_send(&ends_of_two[0], &sent), WM_MESSAGE_DONE);
    CU_ASSERT_EQUAL(number_receive(&ends_of_two[1], &received), WM_MESSAGE_DONE);
    CU_ASSERT(received.message.bytes == 4 * sizeof(double) && received.message.whole == 4 * sizeof(double));
    CU_ASSERT(received_numbers[1] == -2 && received_numbers[3] == 0x1p40);

    received = letter(7, narrow, sizeof narrow, 0);
    received.message.number = WM_INT32;
    CU_ASSERT_EQUAL(number_receive(&ends_of_two[1], &received), WM_MESSAGE_DONE);
    CU_ASSERT_EQUAL(number_send(&ends_of_two[0], &sent), WM_MESSAGE_DONE);
    CU_ASSERT(received.message.complete && received.message.error == WM_MESSAGE_INEXACT);
    CU_ASSERT(received.message.bytes == 3 * sizeof(int32_t) && narrow[1] == -2 && narrow[2] == 3);
    check_sentence(
        &ends_of_two[1].common, &received.message,
        "'number': number 3 of the int64 from endpoint 0 is no int32, which the receive at endpoint 1 wants");

    received = letter(7, narrow, 2 * sizeof(int32_t), 0);
    received.message.number = WM_INT32;
    CU_ASSERT_EQUAL(number_receive(&ends_of_two[1], &received), WM_MESSAGE_DONE);
    CU_ASSERT_EQUAL(number_send(&ends_of_two[0], &sent), WM_MESSAGE_DONE);
    CU_ASSERT(received.message.error == WM_MESSAGE_TRUNCATED && received.message.whole == 4 * sizeof(int32_t));
    CU_ASSERT_EQUAL(received.message.peer, 0);
    close_two();
}

/* Those of one type, and those of which one end says nothing, are taken as they are. */
static void bytes__are_not_converted(void)
{
    float number = 1.5F;
    uint32_t bits = 0;
    struct number_envelope sent = letter(7, &number, sizeof number, 1), received = letter(7, &bits, sizeof bits, 0);

    open_two((struct wm_message_limits){0});
    sent.message.number = WM_FLOAT;
    CU_ASSERT_EQUAL(number_send(&ends_of_two[0], &sent), WM_MESSAGE_DONE);
    CU_ASSERT_EQUAL(number_receive(&ends_of_two[1], &received), WM_MESSAGE_DONE);
    CU_ASSERT(memcmp(&bits, &number, sizeof bits) == 0);
    CU_ASSERT(number_check(&ends_of_two[1], &received) && received.message.sent == WM_FLOAT);
    close_two();
}

static const struct check_case cases[] = {
    CASE(messages__become_what_the_model_says),
    CASE(a_receive__that_is_too_small_says_so),
    CASE(a_protocol__that_the_peer_does_not_know_is_named),
    CASE(a_protocol__is_opened_once_with_one_header),
    CASE(an_envelope__that_is_under_way_is_refused),
    CASE(a_message__with_wildcards_is_refused),
    CASE(what_waits__ends_when_the_protocol_is_closed),
    CASE(unexpected_messages__take_no_more_memory_than_allowed),
    CASE(numbers__are_converted_exactly_or_refused),
    CASE(bytes__are_not_converted),
    CASE(memory__is_told_before_it_is_used_up),
    CASE(keys__that_are_alike_are_told),
};

CHECK_MAIN("message", cases)
