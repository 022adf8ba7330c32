/* The anatomy of a job's steps, from the traces of its hosts. */
#ifndef TFPROF_LOAD_ANATOMY_HOSTS_H
#define TFPROF_LOAD_ANATOMY_HOSTS_H

#include "load/anatomy/anatomy.h"
#include "model/model.h"

struct anatomy_hosts {
	struct anatomy *at; /* by trace of the model */
	size_t n;
	struct anatomy joined; /* steps of several */
};

/* `function` as of anatomy_read(). Clear in any case. */
enum tfprof_status anatomy_hosts_read(struct anatomy_hosts *hosts, const struct model *m,
	struct span function, struct tfprof_error *err);
/* Steps of a model without traces, by what run metadata told. */
enum tfprof_status anatomy_hosts_read_runs(struct anatomy_hosts *hosts, const struct model *m,
	struct tfprof_error *err);
void anatomy_hosts_clear(struct anatomy_hosts *hosts);

/* The anatomy of the only host, or the steps of several, each as long as on the slowest host. NULL
 * if the model has no traces. */
const struct anatomy *anatomy_hosts_get(const struct anatomy_hosts *hosts);

/* What the only host did while an accelerator ("/host:vm/device:gpu:0") waited for it to launch
 * something; NULL: not known. */
const struct anatomy_late *anatomy_hosts_get_late(const struct anatomy_hosts *hosts,
	struct span device);

#endif
