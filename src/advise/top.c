#include "advise/top.h"

bool top_init(struct top *t, struct check *c, const char *option)
{
	int64_t wanted = check_int(c, option);

	*t = (struct top){.max = wanted < 0 ? 0 : wanted > 100 ? 100 : (size_t)wanted};
	t->at = check_alloc(c, t->max, sizeof(*t->at));
	return t->at;
}

void top_add(struct top *t, uint32_t id, int64_t value)
{
	size_t i;

	if (value <= 0 || !t->max || (t->n == t->max && value <= t->at[t->n - 1].value))
		return;
	for (i = t->n < t->max ? t->n++ : t->n - 1; i && t->at[i - 1].value < value; i--)
		t->at[i] = t->at[i - 1];
	t->at[i] = (struct top_item){id, value};
}
