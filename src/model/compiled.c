#include "model/compiled.h"

void compiled_truncate(struct compiled *c, size_t n_programs, size_t n_ops)
{
	c->programs.n = n_programs;
	c->ops.n = n_ops;
}

void compiled_clear(struct compiled *c)
{
	vec_clear(&c->programs);
	vec_clear(&c->ops);
}
