/* Commands: the record that describes one subcommand of `waymark`, and its command line.
 *
 * `--help`, `waymark help`, the check of the command line and the manual pages are all made from the record, so that
 * they cannot drift apart. Texts are plain sentences; who prints them wraps them. Arrays end in a NULL (term, name). */
#ifndef WM_TOOLS_COMMAND_H
#define WM_TOOLS_COMMAND_H

#include <stdbool.h>
#include <stdio.h>
#include "core/error.h"

enum { WM_EXIT_FAILED = 1, WM_EXIT_USAGE = 2 };

struct wm_option {
    const char *name;     /* "grid" of --grid */
    char letter;          /* 'm' of -m, 0: none */
    const char *argument; /* "MAP"; NULL: takes none */
    const char *help;
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
    const struct wm_command_section *sections; /* NULL: none */
    const struct wm_command_item *examples;
    bool options_first;                /* the first word that is no option ends the options */
    int (*run)(int argc, char **argv); /* argv[0] is the name; returns the exit status */
};

/* All subcommands, in the order of the help; ends in NULL. */
const struct wm_command *const *wm_commands(void);
const struct wm_command *wm_command_find(const char *name);
/* The program itself, as a record: its page lists the commands. */
const struct wm_command *wm_command_program(void);

/* Print the lines that say how a command is used; its whole help. */
void wm_command_usage(const struct wm_command *command, FILE *out);
void wm_command_help(const struct wm_command *command, FILE *out);
/* Print its manual page, in roff's man macros. */
void wm_command_manual(const struct wm_command *command, FILE *out);

/* Say on stderr what failed. Returns WM_EXIT_FAILED. */
int wm_command_failed(const struct wm_error *error);

/* A walk along a command line. `value` is the option's argument, or the operand. */
struct wm_arguments {
    const struct wm_command *command;
    int argc;
    char **argv;
    int next;            /* index of the first word not yet read */
    const char *cluster; /* letters still to come of "-vv" */
    bool operands_only;  /* "--" was read */
    bool quiet;          /* print no complaints and no help: another rank does */
    const char *value;
};

enum {
    WM_ARGUMENT_END = -1,
    WM_ARGUMENT_OPERAND = -2,
    WM_ARGUMENT_BAD = -3, /* the sentence is printed: exit with WM_EXIT_USAGE */
    WM_ARGUMENT_HELP = -4 /* the help is printed: exit with 0 */
};

/* Begin at argv[1]. */
struct wm_arguments wm_arguments_begin(const struct wm_command *command, int argc, char **argv);
/* The index of the next option in command->options, or WM_ARGUMENT_…. */
int wm_arguments_next(struct wm_arguments *arguments);

/* Say on stderr what is wrong with the command line, how it is used, and where to read more. Returns WM_EXIT_USAGE. */
int wm_arguments_misuse(const struct wm_arguments *arguments, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The exit status that a walk's end means: 0 after WM_ARGUMENT_HELP, WM_EXIT_USAGE after WM_ARGUMENT_BAD, else -1. */
int wm_arguments_status(int end);

#endif
