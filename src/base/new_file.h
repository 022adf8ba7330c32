/* A file that appears completely or not at all.
 *
 *     new_file_open ── write to fd ── new_file_commit: path has the new contents
 *                                   \ new_file_discard: path is what it was
 *
 * While it is written the file has no name (O_TMPFILE), so a process that is killed
 * leaves nothing behind. Where the file system has no such files, and for the moment in
 * which an old file is replaced, it is a hidden `.tfprof-…` beside the old one: a handler
 * of a signal that ends the program calls new_file_discard_all(). */
#ifndef TFPROF_BASE_NEW_FILE_H
#define TFPROF_BASE_NEW_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

struct new_file {
	int fd;
	char *path;
	char *temporary;    /* the file's name until commit … */
	bool has_temporary; /* … if it has one */
	size_t slot; /* of the temporary name in the list a signal handler removes, + 1; 0: none */
	bool replaces; /* there was an old file */
};

/* `before` is the old file, whose permissions are kept, or NULL. Returns 0 or an errno
 * value. */
int new_file_open(struct new_file *f, const char *path, const struct stat *before);

/* Writes to the disk, closes, and moves into place; an error discards. Returns 0 or an
 * errno value. */
int new_file_commit(struct new_file *f);
/* Does nothing after a commit, or if it is zeroed. */
void new_file_discard(struct new_file *f);

/* Removes the names of all that are being written. Async-signal-safe. */
void new_file_discard_all(void);

#endif
