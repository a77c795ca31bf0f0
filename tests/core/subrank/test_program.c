/* Executables that are damaged in every way: looked at, they are refused or taken, and nothing else happens. */
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/subrank/program_image.h"
#include "tests/check.h"

enum { ROUNDS = 20000 };

static char *whole;
static size_t whole_bytes;

/* This program itself. */
static void an_executable_can_be_read(void)
{
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    struct stat what;

    CU_ASSERT_TRUE_FATAL(file >= 0 && fstat(file, &what) == 0);
    whole_bytes = (size_t)what.st_size;
    CU_ASSERT_PTR_NOT_NULL_FATAL(whole = malloc(whole_bytes));
    CU_ASSERT_EQUAL_FATAL(read(file, whole, whole_bytes), (ssize_t)whole_bytes);
    close(file);
}

/* What is said of the first bytes, in memory that ends there. */
static long look(const char *image, size_t bytes, struct wm_error *error)
{
    char *copy = malloc(bytes > 0 ? bytes : 1);
    long found;

    CU_ASSERT_PTR_NOT_NULL_FATAL(copy);
    memcpy(copy, image, bytes);
    error->text[0] = '\0';
    found = wm_program_image_prepare(copy, bytes, "it", false, error);
    CU_ASSERT_TRUE(found < 0 ? found == -WM_EINVAL && error->text[0] != '\0' : (size_t)found <= bytes);
    free(copy);
    return found;
}

static void a_file_that_is_cut_off_is_refused(void)
{
    struct wm_error error;

    CU_ASSERT_TRUE(look(whole, whole_bytes, &error) > 0);
    for (size_t bytes = 0; bytes < 2048; bytes++)
        CU_ASSERT_TRUE(look(whole, bytes, &error) < 0);
    for (size_t bytes = 2048; bytes < whole_bytes; bytes += 1 + bytes / 16)
        look(whole, bytes, &error);
}

/* The headers and the dynamic section are a few of all bytes, and are hit as often as the rest. */
static void damaged_headers_do_no_harm(void)
{
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)whole;
    const ElfW(Phdr) *segments = (const ElfW(Phdr) *)(whole + header->e_phoff);
    static const unsigned char likely[] = {0, 1, 7, 8, 0x7f, 0x80, 0xff};
    size_t places[3][2] = {{0, sizeof *header}, {header->e_phoff, header->e_phnum * sizeof *segments}, {0, 1}};
    char *image = malloc(whole_bytes);
    struct wm_error error;
    int refused = 0;

    CU_ASSERT_PTR_NOT_NULL_FATAL(image);
    for (int i = 0; i < header->e_phnum; i++)
        if (segments[i].p_type == PT_DYNAMIC) {
            places[2][0] = segments[i].p_offset;
            places[2][1] = segments[i].p_filesz;
        }
    memcpy(image, whole, whole_bytes);
    srandom(1);
    for (int round = 0; round < ROUNDS; round++) {
        size_t hit[3];

        for (int i = 0; i < 3; i++) {
            const size_t *place = places[random() % 3];

            hit[i] = place[0] + (size_t)random() % place[1];
            image[hit[i]] = (char)(random() % 2 ? likely[(size_t)random() % sizeof likely] : random());
        }
        refused += wm_program_image_prepare(image, whole_bytes, "it", false, &error) < 0;
        for (int i = 0; i < 3; i++)
            memcpy(image + places[i][0], whole + places[i][0], places[i][1]);
    }
    CU_ASSERT_TRUE(refused > ROUNDS / 10);
    free(image);
}

static const struct check_case cases[] = {
    CASE(an_executable_can_be_read),
    CASE(a_file_that_is_cut_off_is_refused),
    CASE(damaged_headers_do_no_harm),
};

CHECK_MAIN("program", cases)
