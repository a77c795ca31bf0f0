# The command line: subcommands, options, help and manual.
waymark_SOURCES += \
	tools/cli/arguments.c \
	tools/cli/command.h \
	tools/cli/commands.h \
	tools/cli/help.c \
	tools/cli/main.c \
	tools/cli/manual.c \
	tools/cli/options.c tools/cli/options.h
EXTRA_DIST += tools/cli/README.md tools/cli/commands.def
