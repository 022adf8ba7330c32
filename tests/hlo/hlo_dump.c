/* Prints what compiled programs cost, one line of JSON per program. The input is a list of
 * programs, each eight bytes of length, lowest first, and an HloProto. */
#include <stdio.h>
#include <stdlib.h>

#include "hlo/cost.h"

static void put_text(struct span text)
{
	putchar('"');
	for (size_t i = 0; i < text.n; i++)
		if (text.at[i] == '"' || text.at[i] == '\\')
			printf("\\%c", text.at[i]);
		else
			putchar(text.at[i]);
	putchar('"');
}

static void put_cost(const struct hlo_cost *c)
{
	printf("[%lld,%lld,%lld,%lld,%lld,%lld]", (long long)c->float_ops,
		(long long)c->matrix_float_ops, (long long)c->transcendentals, (long long)c->bytes,
		(long long)c->sent_bytes, (long long)c->unknown);
}

static bool dump(struct span message)
{
	struct hlo_program p = {0};
	struct hlo_costs costs = {0};
	struct decoder d = {0};
	bool ok = hlo_program_read(&p, &d, message) && hlo_costs_count(&costs, &p);

	if (!ok) {
		printf("null\n");
	} else {
		printf("{\"name\":");
		put_text(p.name);
		printf(",\"total\":");
		put_cost(&costs.total);
		printf(",\"ops\":{");
		for (size_t i = 0; i < p.ops.n; i++) {
			printf(i ? "," : "");
			put_text(p.ops.at[i].name);
			putchar(':');
			put_cost(&costs.of_op[i]);
		}
		printf("},\"n_damaged\":%zu}\n", p.n_damaged);
	}
	hlo_costs_clear(&costs);
	hlo_program_clear(&p);
	return true;
}

int main(int n_arguments, char **arguments)
{
	FILE *file = n_arguments == 2 ? fopen(arguments[1], "rb") : NULL;
	unsigned char head[8];

	if (!file)
		return 2;
	while (fread(head, 1, 8, file) == 8) {
		size_t n = 0;
		char *bytes;

		for (int i = 8; i--;)
			n = n << 8 | head[i];
		bytes = malloc(n + 1);
		if (!bytes || fread(bytes, 1, n, file) != n)
			return 2;
		dump((struct span){bytes, n});
		free(bytes);
	}
	fclose(file);
	return 0;
}
