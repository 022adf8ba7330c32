/* What a query or the advisor gives back. */
#ifndef TFPROF_LIB_RESULT_H
#define TFPROF_LIB_RESULT_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"

struct tfprof_result {
	struct buf text, notes, message;
	struct arena arena;
	struct tfprof_row *rows;
	size_t n_rows;
	enum tfprof_level level; /* of the advisor's findings */
};

#endif
