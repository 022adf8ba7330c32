/* Prints the report of the op view of a saved profile, and its first line again
 * as numbers:
 *
 *     cc example.c $(pkg-config --cflags --libs tfprof) -o example && ./example profile
 */
#include <stdio.h>
#include <tfprof/tfprof.h>

int main(int argc, char **argv)
{
	struct tfprof_input file = tfprof_input_file(argc > 1 ? argv[1] : "profile");
	tfprof_profile *profile = tfprof_profile_new();
	tfprof_options *options = tfprof_options_new();
	tfprof_result *result = NULL;
	struct tfprof_error err = {TFPROF_NO_MEMORY, "out of memory"};
	int failed = !profile || !options ||
		tfprof_profile_add(profile, "profile", &file, 0, &err) ||
		tfprof_options_set(options, "select", "micros,occurrence", &err) ||
		tfprof_options_set(options, "order_by", "micros", &err) ||
		tfprof_query_run(profile, TFPROF_OP, options, TFPROF_WANT_TABLE, NULL, &result,
			&err);

	if (failed) {
		fprintf(stderr, "example: %s\n", err.text);
	} else {
		const struct tfprof_row *row = tfprof_result_get_row(result, 1); /* 0 is the root */

		fputs(tfprof_result_get_text(result, NULL), stdout);
		if (row)
			printf("%s: %lld us\n", row->name, (long long)row->exec_micros);
	}
	tfprof_result_free(result);
	tfprof_options_free(options);
	tfprof_profile_free(profile);
	return failed;
}
