/* Pieces of ExpensiveOperationChecker. */
#ifndef TFPROF_ADVISE_EXPENSIVE_H
#define TFPROF_ADVISE_EXPENSIVE_H

#include "advise/advise.h"

/* Places are collected first, because a finding is made once its text is complete. */
typedef VEC(struct place) places_vec;

void expensive_add_place(struct check *c, places_vec *places, struct place place);
/* Makes a finding of the text and the places, which are cleared. */
void expensive_find(struct check *c, const char *what, const char *remedy, places_vec *places);
/* ", cpu: T, accelerator: T, total: T" */
void expensive_put_times(struct buf *b, int64_t cpu_us, int64_t accelerator_us, int64_t total_us);

/* The lines of code that take the most time, and below each those it calls. */
enum tfprof_status expensive_lines(struct check *c, struct tfprof_error *err);

#endif
