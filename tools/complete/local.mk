# waymark complete, and the scripts for shells, where Debian's packages of these look for them.
waymark_SOURCES += \
	tools/complete/complete.c \
	tools/complete/values.c tools/complete/values.h
EXTRA_DIST += tools/complete/README.md

bashcompletiondir = $(datadir)/bash-completion/completions
dist_bashcompletion_DATA = tools/complete/bash/waymark
zshcompletiondir = $(datadir)/zsh/$(zsh_functions)
dist_zshcompletion_DATA = tools/complete/zsh/_waymark
fishcompletiondir = $(datadir)/fish/vendor_completions.d
dist_fishcompletion_DATA = tools/complete/fish/waymark.fish
