/* A file's bytes, mapped read-only, so that only what is used is read. If another
 * program writes to the file, the bytes change or disappear, and reading them raises
 * SIGBUS: call mapped_file_check() first. For that the file stays open. Since a
 * program may not have many files open, only those that get a low descriptor are
 * watched. */
#ifndef TFPROF_BASE_MAPPED_FILE_H
#define TFPROF_BASE_MAPPED_FILE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/span.h"

struct mapped_file {
	struct span bytes; /* not NULL, once open */
	bool is_watched;
	bool is_copy;    /* detached from the file */
	int fd;          /* if it is watched */
	struct stat was; /* when it was opened */
};

enum { MAPPED_FILE_DESCRIPTORS = 256 };

/* Takes ownership of the descriptor on success; otherwise leaves it open and sets
 * errno. The file may be empty. */
bool mapped_file_open(struct mapped_file *f, int fd, const struct stat *st);
/* Does nothing if it is zeroed. */
void mapped_file_close(struct mapped_file *f);

/* TFPROF_IO if a watched file was written to since it was opened, even if its time was
 * set back afterwards. Replacing, renaming or removing the file is no change. */
enum tfprof_status mapped_file_check(const struct mapped_file *f, const char *path,
	struct tfprof_error *err);

/* Keeps the bytes at the same address, whatever happens to the file. False on
 * allocation failure. */
bool mapped_file_detach(struct mapped_file *f);

/* Returns the memory of pages that will hardly be read again. They can be: they come from
 * the file then. */
void mapped_file_release(const struct mapped_file *f);

#endif
