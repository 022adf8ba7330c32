/* What a general reader needs for the same bytes: protobuf-c unpacking a saved
 * profile, without building anything from it.
 *
 *     protobuf_c FILE      prints {"unpack_ms": …, "peak_mb": …} */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "profile.pb-c.h"

int main(int argc, char **argv)
{
	struct timespec start, end;
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
	clock_gettime(CLOCK_MONOTONIC, &start);
	profile = bench__profile_proto__unpack(NULL, (size_t)size, bytes);
	clock_gettime(CLOCK_MONOTONIC, &end);
	if (!profile)
		return 1;
	getrusage(RUSAGE_SELF, &usage);
	printf("{\"unpack_ms\": %.3f, \"nodes\": %zu, \"peak_mb\": %.1f}\n",
		(double)(end.tv_sec - start.tv_sec) * 1e3 +
			(double)(end.tv_nsec - start.tv_nsec) / 1e6,
		profile->n_nodes, (double)usage.ru_maxrss * 1024 / 1e6);
	return 0;
}
