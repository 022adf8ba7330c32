#include "hlo/users.h"

bool hlo_users_find(struct hlo_users *u, const struct hlo_program *p)
{
	uint32_t sum = 0;

	u->first = mem_zero_array(p->ops.n + 2, sizeof(*u->first));
	u->at = mem_array(p->operands.n + 1, sizeof(*u->at));
	if (!u->first || !u->at)
		return false;
	for (size_t i = 0; i < p->operands.n; i++)
		if (p->operands.at[i] != NONE)
			u->first[p->operands.at[i]]++;
	for (size_t i = 0; i <= p->ops.n; i++) {
		uint32_t n = u->first[i];

		u->first[i] = sum;
		sum += n;
	}
	/* Filled from the back, each ends where it begins. */
	for (uint32_t i = 0; i < p->ops.n; i++)
		for (uint32_t k = 0; k < p->ops.at[i].n_operands; k++) {
			uint32_t operand = hlo_operand(p, &p->ops.at[i], k);

			if (operand != NONE)
				u->at[u->first[operand]++] = i;
		}
	for (size_t i = p->ops.n; i > 0; i--)
		u->first[i] = u->first[i - 1];
	u->first[0] = 0;
	return true;
}

void hlo_users_clear(struct hlo_users *u)
{
	mem_free(u->first);
	mem_free(u->at);
	*u = (struct hlo_users){0};
}
