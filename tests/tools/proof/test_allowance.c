/* Memory that control groups leave: what they say stands in files of a folder here. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/check.h"
#include "tools/proof/allowance.h"

static char folder[] = "/tmp/waymark-allowance-XXXXXX";
static char groups[sizeof folder + 16];

static void write_file(const char *name, const char *text)
{
    char path[256];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    fputs(text, file);
    fclose(file);
}

static void make_folder(const char *name)
{
    char path[256];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    CU_ASSERT_EQUAL_FATAL(mkdir(path, 0700), 0);
}

static size_t allowed(const char *lines)
{
    write_file("groups", lines);
    return wm_allowance_of_groups(groups, folder);
}

static void allowance__is_that_of_the_strictest_group(void)
{
    CU_ASSERT_EQUAL(allowed("0::/\n"), SIZE_MAX);
    make_folder("job");
    make_folder("job/step");
    write_file("memory.max", "max\n");
    write_file("job/memory.max", "3000\n");
    write_file("job/step/memory.max", "max\n");
    CU_ASSERT_EQUAL(allowed("0::/\n"), SIZE_MAX);
    CU_ASSERT_EQUAL(allowed("0::/job\n"), 3000);
    CU_ASSERT_EQUAL(allowed("0::/job/step\n"), 3000);
    CU_ASSERT_EQUAL(allowed("0::/elsewhere\n"), SIZE_MAX);
}

static void allowance__knows_both_versions(void)
{
    make_folder("memory");
    make_folder("memory/job");
    write_file("memory/memory.limit_in_bytes", "9223372036854771712\n");
    write_file("memory/job/memory.limit_in_bytes", "2000\n");
    CU_ASSERT_EQUAL(allowed("5:cpuset:/job\n4:cpu,memory:/job\n0::/\n"), 2000);
    CU_ASSERT_EQUAL(allowed("4:memory:/docker/1a2b\n"), 9223372036854771712u);
    CU_ASSERT_EQUAL(allowed("5:cpuset:/job\n1:name=memory:/job\n"), SIZE_MAX);
    CU_ASSERT_EQUAL(allowed(""), SIZE_MAX);
}

static void allowance__is_no_more_than_the_host_has(void)
{
    CU_ASSERT(wm_allowance() > 0);
    CU_ASSERT(wm_allowance() <= (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE));
}

static void folder__is_removed(void)
{
    char command[sizeof folder + 16];

    snprintf(command, sizeof command, "rm -rf %s", folder);
    CU_ASSERT_EQUAL(system(command), 0);
}

static void folder__is_made(void)
{
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
    snprintf(groups, sizeof groups, "%s/groups", folder);
}

static const struct check_case cases[] = {
    CASE(folder__is_made),
    CASE(allowance__is_that_of_the_strictest_group),
    CASE(allowance__knows_both_versions),
    CASE(allowance__is_no_more_than_the_host_has),
    CASE(folder__is_removed),
};

CHECK_MAIN("allowance", cases)
