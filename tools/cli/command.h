/* Commands: the record that describes one subcommand of `waymark`, and its command line.
 *
 * A command is one constant record, listed in tools/cli/commands.def. Its help, its manual page and the reading of its
 * command line are made from the record, so that they cannot drift apart. Texts are plain sentences; who prints them
 * wraps them. Arrays end in a NULL (name, term).
 *
 * A command's `run` fills a struct of its own, the choice, with what holds unless something is said, has
 * wm_arguments_read go through the words, and then checks what no single option can check. An option names the place of
 * its value in the choice, and the reader that puts it there: one of tools/cli/options.h, or the command's own. All
 * readers and checks return 0, or the exit status of a misuse that they have told by wm_arguments_misuse. */
#ifndef WM_TOOLS_COMMAND_H
#define WM_TOOLS_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "core/error.h"

enum { WM_EXIT_FAILED = 1, WM_EXIT_USAGE = 2, WM_STATUSES_MAX = 8 };

struct wm_arguments;

struct wm_option {
    const char *name;     /* "grid" of --grid */
    char letter;          /* 'm' of -m, 0: none */
    const char *argument; /* "MAP", or what may be chosen: "text|json"; NULL: takes none */
    const char *help;
    /* Put arguments->value (NULL where the option takes none) at `place`. */
    int (*read)(void *place, const struct wm_arguments *arguments, const struct wm_option *option);
    size_t place;         /* offset in the choice; 0 as well where `read` fills several members */
    uint64_t least, most; /* of a whole number */
};

/* The words that are no options. */
struct wm_operands {
    const char *what; /* "map", "trace directory"; NULL: none are taken */
    int least, most;
    const char *instead; /* where none are taken: how to say what was probably meant, or NULL */
};

/* A term and what it means: an environment variable, an exit status; a command line and what it does. */
struct wm_command_item {
    const char *term, *text;
};

struct wm_command_section {
    const char *title; /* "ENVIRONMENT" */
    const struct wm_command_item *items;
};

struct wm_command {
    const char *name;
    const char *summary;                       /* one line, lower case, no full stop */
    const char *const *synopsis;               /* lines that follow "waymark " */
    const char *const *description;            /* paragraphs */
    const struct wm_option *options;           /* NULL: none; --help is everyone's and stands in none */
    struct wm_operands operands;               /* unused with options_first */
    const struct wm_command_section *sections; /* NULL: none */
    const struct wm_command_item *statuses;    /* exit statuses that mean more than every command's; NULL: none */
    const struct wm_command_item *examples;
    bool options_first;                         /* the first word that is no option ends the options */
    int (*run)(struct wm_arguments *arguments); /* returns the exit status */
};

/* All subcommands, in the order of the help; ends in NULL. */
const struct wm_command *const *wm_commands(void);

/* The subcommand of the name, or NULL. */
const struct wm_command *wm_command_find(const char *name);

/* The program itself, as a record: its page lists the commands. */
const struct wm_command *wm_command_program(void);

/* Collect what the exit statuses of a command mean: every command's, in its own words where it has some, and its
 * others. Ends in a NULL term. */
void wm_command_statuses(const struct wm_command *command, struct wm_command_item out[WM_STATUSES_MAX]);

/* Print the lines that say how a command is used. */
void wm_command_usage(const struct wm_command *command, FILE *out);

/* Print its whole help. */
void wm_command_help(const struct wm_command *command, FILE *out);

/* Print its manual page, in roff's man macros. */
void wm_command_manual(const struct wm_command *command, FILE *out);

/* Say on stderr what failed. Returns WM_EXIT_FAILED. */
int wm_command_failed(const struct wm_error *error);

/* A command line while it is read, and afterwards. */
struct wm_arguments {
    const struct wm_command *command;
    int argc;
    char **argv;         /* argv[0] is the command's name */
    int next;            /* index of the first word not yet read; with options_first, of the first behind the options */
    const char *cluster; /* letters still to come of "-vv" */
    bool operands_only;  /* "--" was read */
    bool quiet;          /* print no complaints and no help: another rank does */
    const char *value;   /* the argument of the option that is read */
    char **operands;     /* the words that are no options, in their order, moved to argv's front */
    int operand_count;
};

/* A command line of which nothing is read. */
struct wm_arguments wm_arguments_begin(const struct wm_command *command, int argc, char **argv);

/* Read all words: options into `choice`, operands into arguments->operands, as many as the record says. True to go on;
 * false to end with *status: help was asked for and printed (0), or what is wrong was told (WM_EXIT_USAGE). */
bool wm_arguments_read(struct wm_arguments *arguments, void *choice, int *status);

/* Say on stderr what is wrong with the command line, how it is used, and where to read more. Returns WM_EXIT_USAGE. */
int wm_arguments_misuse(const struct wm_arguments *arguments, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
