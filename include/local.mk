# What is installed: programs write <waymark/convey.h>. Programs written for bale's conveyors find convey.h,
# biconvey.h, convey_alc8r.h and convey_codec.h by their plain names through pkg-config's flags.
pkginclude_HEADERS = \
	include/waymark/binding.h \
	include/waymark/biconvey.h \
	include/waymark/call.h \
	include/waymark/communicate.h \
	include/waymark/convey.h \
	include/waymark/convey_alc8r.h \
	include/waymark/convey_codec.h \
	include/waymark/convey_comm.h \
	include/waymark/expect.h \
	include/waymark/header.h \
	include/waymark/mark.h \
	include/waymark/matching.h \
	include/waymark/message.h \
	include/waymark/message_comm.h \
	include/waymark/message_inline.h \
	include/waymark/message_threads.h \
	include/waymark/number.h \
	include/waymark/operation.h \
	include/waymark/port.h \
	include/waymark/runtime.h \
	include/waymark/superblock.f90 \
	include/waymark/superblock.h \
	include/waymark/threads.h
baleincludedir = $(pkgincludedir)/bale
baleinclude_HEADERS = include/waymark/bale/biconvey.h include/waymark/bale/convey.h \
	include/waymark/bale/convey_alc8r.h include/waymark/bale/convey_codec.h
