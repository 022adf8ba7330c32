/* A number of two sides. */
#ifndef TFPROF_DIFF_DIFF_SUM_H
#define TFPROF_DIFF_DIFF_SUM_H

#include <stdbool.h>
#include <stdint.h>

struct diff_sum {
	int64_t base, new_value;
	double p;          /* of times */
	bool is_decidable; /* there are enough runs */
	bool is_distinct;  /* more than noise, or exact */
};

#endif
