/* Reads JSON in place into a flat list of values.
 *
 *     {"a": [1, 2]}   →   object 4 | key "a" | array 4 | number 1 | number 2
 *                         each value says where the next one after it, and all that is
 *                         in it, begins
 *
 * By hand, because the configurations of Keras hold constant tensors as text, numbers by
 * the hundred thousand: a library like jansson allocates each, while here arrays of more
 * than JSON_MAX_NUMBERS numbers are skipped over. Depth and size are limited. */
#ifndef TFPROF_FORMATS_JSON_READER_H
#define TFPROF_FORMATS_JSON_READER_H

#include <stdint.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/vec.h"

enum { JSON_MAX_DEPTH = 200, JSON_MAX_NUMBERS = 64 };

enum json_type {
	JSON_NULL,
	JSON_FALSE,
	JSON_TRUE,
	JSON_NUMBER,
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT, /* its keys are strings, each followed by its value */
};

struct json_value {
	uint8_t type;
	uint32_t end;     /* the next value after this value's contents */
	struct span text; /* text of numbers and strings, without quotes; escapes are not decoded */
};

struct json_doc {
	VEC(struct json_value) values;
	struct arena arena; /* memory of decoded strings */
};

/* NULL if it is well-formed, else what is wrong; `*at` is where. */
const char *json_read(struct json_doc *doc, struct span text, size_t *at);
void json_doc_clear(struct json_doc *doc);

/* Values are indices; NONE means no value, and everything in NONE is NONE. */

/* The member of an object. */
uint32_t json_get(const struct json_doc *doc, uint32_t object, const char *key);
/* The first item of an array (or key of an object), and the next one after an item. */
uint32_t json_first(const struct json_doc *doc, uint32_t container);
uint32_t json_next(const struct json_doc *doc, uint32_t container, uint32_t item);

enum json_type json_type_of(const struct json_doc *doc, uint32_t value); /* of NONE: null */
/* Empty if it is not a string. Escapes are resolved; a half of a pair becomes U+FFFD. */
struct span json_text_of(struct json_doc *doc, uint32_t value);
/* Integers, and true and false. */
bool json_int_of(const struct json_doc *doc, uint32_t value, int64_t *number);

#endif
