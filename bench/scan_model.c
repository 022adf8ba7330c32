/* The limit to come near: a bare scan of a SavedModel that touches every field of every
 * node and attribute, and keeps nothing.
 *
 *     scan_model FILE        prints {"scan_ms": …, "nodes": …}: the best of 7 */
#include <stdio.h>

#include "each.h"
#include "model/source.h"
#include "now.h"
#include "proto/decoder.h"

static unsigned long sum, n_nodes;

static void scan_fields(struct span message)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;

	while (wire_next(&r, &f))
		sum += f.tag + f.value + f.bytes.n;
}

static void scan_node(struct span node)
{
	struct wire_reader r = wire_reader(node), entry;
	struct wire_field f, part;

	n_nodes++;
	while (wire_next(&r, &f)) {
		sum += f.tag + f.bytes.n;
		if (f.tag != WIRE_LEN(NODE_DEF_ATTR))
			continue;
		entry = wire_reader(f.bytes);
		while (wire_next(&entry, &part))
			if (part.tag == WIRE_LEN(MAP_VALUE))
				scan_fields(part.bytes);
			else
				sum += part.bytes.n;
	}
}

static void scan_function(struct span function)
{
	each(function, WIRE_LEN(FUNCTION_DEF_NODE_DEF), scan_node);
}

static void scan_library(struct span library)
{
	each(library, WIRE_LEN(FUNCTION_DEF_LIBRARY_FUNCTION), scan_function);
}

static void scan_graph(struct span graph)
{
	each(graph, WIRE_LEN(GRAPH_DEF_NODE), scan_node);
	each(graph, WIRE_LEN(GRAPH_DEF_LIBRARY), scan_library);
}

static void scan_meta_graph(struct span meta_graph)
{
	each(meta_graph, WIRE_LEN(META_GRAPH_DEF_GRAPH_DEF), scan_graph);
}

int main(int argc, char **argv)
{
	struct tfprof_input in = tfprof_input_file(argc > 1 ? argv[1] : "");
	struct source source;
	struct tfprof_error err;
	double best = 1e9;

	if (source_open(&source, &in, &err) != TFPROF_OK) {
		fprintf(stderr, "scan_model: %s\n", err.text);
		return 1;
	}
	for (int i = 0; i < 7; i++) {
		double start = now_ms(), ms;

		n_nodes = 0;
		each(source.bytes, WIRE_LEN(SAVED_MODEL_META_GRAPHS), scan_meta_graph);
		ms = now_ms() - start;
		best = ms < best ? ms : best;
	}
	printf("{\"scan_ms\": %.2f, \"nodes\": %lu, \"sum\": %lu}\n", best, n_nodes, sum);
	source_close(&source);
	return 0;
}
