#include "model/compiled.h"

void compiled_truncate(struct compiled *c, size_t n_programs, size_t n_ops, size_t n_sources)
{
	for (size_t i = n_sources; i < c->sources.n; i++)
		source_close(&c->sources.at[i]);
	c->programs.n = n_programs;
	c->ops.n = n_ops;
	c->sources.n = n_sources;
}

void compiled_clear(struct compiled *c)
{
	compiled_truncate(c, 0, 0, 0);
	vec_clear(&c->programs);
	vec_clear(&c->ops);
	vec_clear(&c->sources);
}

enum tfprof_status compiled_check(const struct compiled *c, struct tfprof_error *err)
{
	enum tfprof_status status = TFPROF_OK;

	for (size_t i = 0; status == TFPROF_OK && i < c->sources.n; i++)
		status = source_check(&c->sources.at[i], err);
	return status;
}
