/* Memory that a control group limits, as containers do: who takes more is killed without a word. */
#ifndef TFPROF_BASE_MEMORY_LIMIT_H
#define TFPROF_BASE_MEMORY_LIMIT_H

#include <stddef.h>

/* Lets allocations fail before, so that the program can say so. Children inherit it. */
void memory_limit_apply(void);

/* What the control groups allow, as processors_of_groups() does. */
size_t memory_limit_of_groups(const char *root, const char *membership);

#endif
