/* Recognizes an input by its content: one of the kinds that can be read, or something
 * else, so that an error can say what a wrong file is. */
#ifndef TFPROF_LOAD_RECOGNIZE_H
#define TFPROF_LOAD_RECOGNIZE_H

#include "base/buf.h"
#include "base/span.h"
#include "load/inputs.h"

struct schema_message;

/* How bytes are recognized; members that are NULL are not used. */
struct look {
	const char *name;                    /* "a GraphDef": it looks like … */
	const char *loaded;                  /* what it was, once it is read; NULL: `name` */
	struct span magic;                   /* bytes it begins with */
	bool (*has_mark)(struct span bytes); /* or whether it is one */
	const char *suffix;                  /* of the file, where a path is only its beginning */
	const struct schema_message *type;   /* a message of this type … */
	const char *key_field;               /* … is good for nothing without this field */
	const char *text_name;               /* in text form … */
	const char *text_fields;             /* … it begins with one of these, between blanks */
	/* How many a directory holds or is, and which of them to read (see directory.h). */
	size_t (*claim)(const char *directory, struct buf *path);
};

struct recognized {
	const char *name;     /* "a GraphDef in text form" */
	enum input_kind kind; /* INPUT_UNKNOWN: none that can be read */
	bool is_text;
	const struct packing *packing; /* how it was compressed; NULL: it was not */
	bool is_marked;                /* its first bytes say so: it cannot be anything else */
	bool is_certain;               /* it is what its name says, whether it can be read or not */
};

/* Does not guess: what fits two kinds equally well, or is too small, is "something
 * unknown". */
struct recognized recognize(struct span bytes);

/* The name alone of what bytes look like. */
const char *recognize_name(struct span bytes);

/* How bytes of a kind are recognized. */
const struct look *recognize_get_look(enum input_kind kind);

#endif
