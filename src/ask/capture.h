/* What an answer is about: which files, steps and devices its numbers cover, and what these files
 * do not tell. Every JSON document has it (write/capture.c). */
#ifndef TFPROF_ASK_CAPTURE_H
#define TFPROF_ASK_CAPTURE_H

#include "ask/question.h"

struct captured_file {
	char *name;
	const char *kind; /* "graph", "xplane"; of a model file: "model" */
	int64_t n_bytes;  /* negative: not known */
	const char *side; /* of a comparison: "base" or "new"; else NULL */
};

struct capture {
	VEC(struct captured_file) files;
	VEC(char *) devices; /* the first MOST_DEVICES */
	size_t n_devices, n_steps;
	int64_t first_step, last_step;
	bool has_model;   /* steps, devices and what is missing are known */
	unsigned missing; /* bits of enum gap */
};

enum { MOST_DEVICES = 64 };

/* After the question has run. False on allocation failure; clear in any case. */
bool capture_read(struct capture *c, const struct answer *a, const struct asked *q);
void capture_clear(struct capture *c);

#endif
