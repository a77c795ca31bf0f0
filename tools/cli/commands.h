/* The subcommands' records, each in the file of its name. */
#ifndef WM_TOOLS_COMMANDS_H
#define WM_TOOLS_COMMANDS_H

#include "tools/cli/command.h"

#define WM_COMMAND(record) extern const struct wm_command record;
#include "tools/cli/commands.def"
#undef WM_COMMAND

#endif
