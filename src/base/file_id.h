/* The identity of a file, the same under all of its names. */
#ifndef TFPROF_BASE_FILE_ID_H
#define TFPROF_BASE_FILE_ID_H

#include <stdbool.h>
#include <sys/stat.h>

struct file_id {
	dev_t device;
	ino_t number;
};

/* False if there is no regular file of that name. */
static inline bool file_id_get(const char *path, struct file_id *id)
{
	struct stat st;

	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return false;
	*id = (struct file_id){st.st_dev, st.st_ino};
	return true;
}

static inline bool file_id_equal(struct file_id a, struct file_id b)
{
	return a.device == b.device && a.number == b.number;
}

#endif
