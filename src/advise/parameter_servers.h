/* How variables are spread over the tasks of a job. */
#ifndef TFPROF_ADVISE_PARAMETER_SERVERS_H
#define TFPROF_ADVISE_PARAMETER_SERVERS_H

#include "advise/links.h"
#include "base/strings.h"

struct parameter_server {
	struct span task;
	int64_t n_variables, bytes, parameters;
	int64_t moved_bytes; /* sent and received in a step */
};

struct parameter_servers {
	struct strings names; /* a server's number is its name's, without the empty one */
	VEC(struct parameter_server) at;
};

/* Those of the job that the profile or its links name; a variable is where
 * it ran, or, if it did not, where the graph puts it. False when memory is out;
 * clear in any case. */
bool parameter_servers_find(struct parameter_servers *p, const struct model *m,
	const struct activity *a, const links_vec *links, struct span job);
void parameter_servers_clear(struct parameter_servers *p);

#endif
