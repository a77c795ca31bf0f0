/* The subcommands' records, each in the file of its name. */
#ifndef WM_TOOLS_COMMANDS_H
#define WM_TOOLS_COMMANDS_H

#include "tools/cli/command.h"

extern const struct wm_command wm_command_run, wm_command_show, wm_command_explain, wm_command_check, wm_command_report,
    wm_command_wrappers, wm_command_bench, wm_command_convert;
extern const struct wm_command wm_command_diff, wm_command_top;

#endif
