/* Values of attributes as short text, for people: "SAME", "[1, 2, 2, 1]", "float", "3x16". */
#ifndef TFPROF_MODEL_ATTR_TEXT_H
#define TFPROF_MODEL_ATTR_TEXT_H

#include "base/buf.h"
#include "proto/decoder.h"

/* Appends the value of an AttrValue. Lists are cut behind some items, and tensors and
 * functions are only named. */
void attr_put_text(struct buf *b, struct decoder *d, struct span attr_value);

#endif
