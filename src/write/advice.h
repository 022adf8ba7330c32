/* Writes findings. */
#ifndef TFPROF_WRITE_ADVICE_H
#define TFPROF_WRITE_ADVICE_H

#include "ask/advise.h"
#include "base/sink.h"

/* As text, with a section per checker. */
void advice_write_text(const struct advice *a, struct sink *out);

#endif
