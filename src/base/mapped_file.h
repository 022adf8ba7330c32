/* A file's bytes, mapped read-only: nothing is read before it is looked at.
 *
 * If another program writes to the file meanwhile, the bytes change, or are no longer
 * there, and reading them is a SIGBUS: so ask mapped_file_check() before. For that
 * the file stays open. A program may not have many files open, so only those that
 * get a low descriptor do: of others nobody knows. */
#ifndef TFPROF_BASE_MAPPED_FILE_H
#define TFPROF_BASE_MAPPED_FILE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/span.h"

struct mapped_file {
	struct span bytes; /* not NULL, once open */
	bool is_watched;
	int fd;          /* if it is watched */
	struct stat was; /* when it was opened */
};

enum { MAPPED_FILE_DESCRIPTORS = 256 };

/* Takes the descriptor over if it can, else leaves it and sets errno. The file may be
 * empty. */
bool mapped_file_open(struct mapped_file *f, int fd, const struct stat *st);
/* Of one that is zero, nothing happens. */
void mapped_file_close(struct mapped_file *f);

/* TFPROF_IO if it was written to since it was opened, as far as anybody knows, even if
 * its time was then set back. To replace the file by another of its name, to rename
 * or to remove it, changes nothing. */
enum tfprof_status mapped_file_check(const struct mapped_file *f, const char *path,
	struct tfprof_error *err);

/* Keeps the bytes where they are, whatever becomes of the file. False when memory is
 * out. */
bool mapped_file_detach(struct mapped_file *f);

#endif
