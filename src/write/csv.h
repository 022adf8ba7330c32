/* Cells of CSV. */
#ifndef TFPROF_WRITE_CSV_H
#define TFPROF_WRITE_CSV_H

#include "base/sink.h"

/* Quoted if it has to be, and valid UTF-8. */
void csv_put_text(struct sink *out, struct span text);

#endif
