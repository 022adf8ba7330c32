/* The limit to come near: a bare scan of a ProfileProto that touches every
 * field an op view needs (op, types, run counts, times, bytes) and keeps
 * nothing.
 *
 *     scan FILE        prints {"scan_ms": …, "sum": …} */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "proto/fields.h"
#include "proto/wire.h"
#include "now.h"

static uint64_t sum;

static void touch(struct span text)
{
	if (text.n)
		sum += (unsigned char)text.at[0] + (unsigned char)text.at[text.n - 1];
}

static void scan_tuple(struct span tuple)
{
	struct wire_reader r = wire_reader(tuple);
	struct wire_field f;
	uint64_t value;

	while (wire_next(&r, &f))
		if (f.tag == WIRE_LEN(TUPLE_INT64_VALUES)) {
			struct wire_reader packed = wire_reader(f.bytes);

			while (wire_packed_next(&packed, &value))
				sum += value;
		}
}

static void scan_times(struct span entry)
{
	struct wire_reader r = wire_reader(entry), times;
	struct wire_field f;

	while (wire_next(&r, &f))
		if (f.tag == WIRE_LEN(MAP_VALUE)) {
			times = wire_reader(f.bytes);
			while (wire_next(&times, &f))
				if (f.tag == WIRE_LEN(EXEC_TIME_TIMES))
					scan_tuple(f.bytes);
		}
}

static void scan_exec(struct span entry)
{
	struct wire_reader r = wire_reader(entry), exec, memory;
	struct wire_field f;

	while (wire_next(&r, &f)) {
		if (f.tag != WIRE_LEN(MAP_VALUE))
			continue;
		exec = wire_reader(f.bytes);
		while (wire_next(&exec, &f)) {
			if (f.tag == WIRE_VARINT(EXEC_PROFILE_RUN_COUNT)) {
				sum += f.value;
			} else if (f.tag == WIRE_LEN(EXEC_PROFILE_ACCELERATOR_EXECS) ||
				f.tag == WIRE_LEN(EXEC_PROFILE_CPU_EXECS)) {
				scan_times(f.bytes);
			} else if (f.tag == WIRE_LEN(EXEC_PROFILE_MEMORY_EXECS)) {
				memory = wire_reader(f.bytes);
				while (wire_next(&memory, &f))
					if (f.tag == WIRE_VARINT(EXEC_MEMORY_REQUESTED_BYTES) ||
						f.tag == WIRE_VARINT(EXEC_MEMORY_PEAK_BYTES) ||
						f.tag == WIRE_VARINT(EXEC_MEMORY_RESIDUAL_BYTES) ||
						f.tag == WIRE_VARINT(EXEC_MEMORY_OUTPUT_BYTES))
						sum += f.value;
			}
		}
	}
}

static void scan_node(struct span entry)
{
	struct wire_reader r = wire_reader(entry), node;
	struct wire_field f;

	while (wire_next(&r, &f)) {
		if (f.tag != WIRE_LEN(MAP_VALUE))
			continue;
		node = wire_reader(f.bytes);
		while (wire_next(&node, &f))
			if (f.tag == WIRE_LEN(PROFILE_NODE_NAME) ||
				f.tag == WIRE_LEN(PROFILE_NODE_OP_TYPES) ||
				f.tag == WIRE_LEN(PROFILE_NODE_OP))
				touch(f.bytes);
			else if (f.tag == WIRE_LEN(PROFILE_NODE_EXECS))
				scan_exec(f.bytes);
	}
}

int main(int argc, char **argv)
{
	double start;
	struct wire_reader r;
	struct wire_field f;
	struct stat st;
	int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;
	const char *bytes;

	if (fd < 0 || fstat(fd, &st) != 0) {
		fprintf(stderr, "usage: scan FILE\n");
		return 2;
	}
	start = now_ms();
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return 1;
	r = wire_reader((struct span){bytes, (size_t)st.st_size});
	while (wire_next(&r, &f))
		if (f.tag == WIRE_LEN(PROFILE_NODES))
			scan_node(f.bytes);
	printf("{\"scan_ms\": %.3f, \"sum\": %llu}\n", now_ms() - start, (unsigned long long)sum);
	return 0;
}
