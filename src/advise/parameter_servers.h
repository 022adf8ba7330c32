/* How variables are spread over the tasks of a job. */
#ifndef TFPROF_ADVISE_PARAMETER_SERVERS_H
#define TFPROF_ADVISE_PARAMETER_SERVERS_H

#include "advise/links.h"
#include "base/strings.h"

struct parameter_server {
	struct span task;
	int64_t n_variables, bytes, parameters;
	int64_t moved_bytes; /* sent and received per step */
};

struct parameter_servers {
	struct strings names; /* a server's number is its name's id - 1 */
	VEC(struct parameter_server) at;
};

/* Finds the tasks of the job named by the profile or its links. A variable is where it
 * ran or, if it did not, where the graph places it. False on allocation failure; clear
 * in either case. */
bool parameter_servers_find(struct parameter_servers *p, const struct model *m,
	const struct activity *a, const links_vec *links, struct span job);
void parameter_servers_clear(struct parameter_servers *p);

#endif
