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
	struct tfprof_column names, micros;
	struct tfprof_error err = {.status = TFPROF_NO_MEMORY, .text = "out of memory"};
	int failed = !profile || !options ||
		tfprof_profile_add(profile, "profile", &file, 0, &err) ||
		tfprof_options_set(options, "select", "micros,occurrence", &err) ||
		tfprof_options_set(options, "order_by", "micros", &err) ||
		tfprof_ask(profile, "op", options, NULL, &result, &err) ||
		tfprof_result_output(result, 0, NULL, NULL, NULL, &err) ||
		tfprof_result_get_column(result, "name", &names, &err) ||
		tfprof_result_get_column(result, "exec_micros", &micros, &err);

	if (failed) {
		fprintf(stderr, "example: %s\n", err.text);
	} else {
		fputs(tfprof_result_get_text(result, NULL), stdout);
		if (names.n_rows > 1) /* row 0 is the root */
			printf("%.*s: %lld us\n", (int)(names.offsets[2] - names.offsets[1]),
				names.bytes + names.offsets[1], (long long)micros.numbers[1]);
	}
	tfprof_result_free(result);
	tfprof_options_free(options);
	tfprof_profile_free(profile);
	return failed;
}
