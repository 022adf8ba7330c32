/* Guesses the kind of a file from its first bytes, so that an error can say what a
 * wrong file is. */
#ifndef TFPROF_PROTO_SNIFF_H
#define TFPROF_PROTO_SNIFF_H

#include "base/span.h"

/* kind, its name ("it looks like …"), the option that takes it, if any */
#define SNIFF_LIST(X)                                                                \
	X(UNKNOWN, "something unknown", NULL)                                        \
	X(EMPTY, "an empty file", NULL)                                              \
	X(GRAPH, "a GraphDef", "graph_path")                                         \
	X(GRAPH_TEXT, "a GraphDef in text form", "graph_path")                       \
	X(RUN_META, "a RunMetadata", "run_meta_path")                                \
	X(RUN_META_TEXT, "a RunMetadata in text form", "run_meta_path")              \
	X(OP_LOG, "an OpLogProto", "op_log_path")                                    \
	X(OP_LOG_TEXT, "an OpLogProto in text form", NULL)                           \
	X(PROFILE, "a ProfileProto", "profile_path")                                 \
	X(PROFILE_TEXT, "a ProfileProto in text form", NULL)                         \
	X(CHECKPOINT_INDEX, "a table of a TensorFlow checkpoint", "checkpoint_path") \
	X(CHECKPOINT_STATE, "the list of checkpoints in a directory", NULL)          \
	X(META_GRAPH, "a MetaGraphDef", NULL)                                        \
	X(META_GRAPH_TEXT, "a MetaGraphDef in text form", NULL)                      \
	X(SAVED_MODEL, "a SavedModel", NULL)                                         \
	X(SAVED_MODEL_TEXT, "a SavedModel in text form", NULL)                       \
	X(PPROF, "a pprof profile", NULL)                                            \
	X(EVENTS, "a TensorBoard event file", NULL)                                  \
	X(GZIP, "a gzip-compressed file", NULL)                                      \
	X(ZIP, "a zip archive, perhaps a Keras model", NULL)                         \
	X(HDF5, "an HDF5 file, perhaps a Keras model", NULL)                         \
	X(PNG, "a PNG image", NULL)                                                  \
	X(ELF, "a program or library (ELF)", NULL)                                   \
	X(JSON, "JSON, perhaps a timeline", NULL)                                    \
	X(TEXT, "text of an unknown kind", NULL)

enum sniff_kind {
#define X(kind, phrase, option) SNIFF_##kind,
	SNIFF_LIST(X)
#undef X
};

/* Looks at no more than a few thousand fields, however large the file. A file that
 * matches two kinds equally well, or is too small to tell, is UNKNOWN. */
enum sniff_kind sniff(struct span bytes);

/* "a GraphDef in text form" */
const char *sniff_name(enum sniff_kind kind);

/* "graph_path" for a GraphDef; NULL if no option takes such a file. */
const char *sniff_option(enum sniff_kind kind);

#endif
