/* What a general reader needs for the same bytes: protobuf-c unpacking a saved
 * profile, without building anything from it.
 *
 *     protobuf_c FILE      prints {"unpack_ms": …, "peak_mb": …} */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "profile.pb-c.h"
#include "now.h"

int main(int argc, char **argv)
{
	double start, took;
	struct rusage usage;
	Bench__ProfileProto *profile;
	FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
	long size;
	uint8_t *bytes;

	if (!file) {
		fprintf(stderr, "usage: protobuf_c FILE\n");
		return 2;
	}
	fseek(file, 0, SEEK_END);
	size = ftell(file);
	rewind(file);
	bytes = malloc((size_t)size);
	if (!bytes || fread(bytes, 1, (size_t)size, file) != (size_t)size)
		return 1;
	start = now_ms();
	profile = bench__profile_proto__unpack(NULL, (size_t)size, bytes);
	took = now_ms() - start;
	if (!profile)
		return 1;
	getrusage(RUSAGE_SELF, &usage);
	printf("{\"unpack_ms\": %.3f, \"nodes\": %zu, \"peak_mb\": %.1f}\n", took, profile->n_nodes,
		(double)usage.ru_maxrss * 1024 / 1e6);
	return 0;
}
