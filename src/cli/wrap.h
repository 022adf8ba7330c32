/* Paragraphs as lines. */
#ifndef TFPROF_CLI_WRAP_H
#define TFPROF_CLI_WRAP_H

#include "base/buf.h"

/* Appends a paragraph in lines of at most `width` columns, each but the first indented. It
 * does not end in a newline. */
void wrap_text(struct buf *out, const char *paragraph, size_t indent, size_t width);

#endif
