/* The page, built into the program: gzip'd files. */
#ifndef TFPROF_SERVER_ASSETS_H
#define TFPROF_SERVER_ASSETS_H

#include <stddef.h>

struct asset {
	const char *path, *type;
	const unsigned char *begin, *end; /* gzip'd */
};

/* NULL if there is none at this path. */
const struct asset *asset_find(const char *path);

#endif
