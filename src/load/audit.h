/* Compares messages with their types at every depth: which fields a type does not have, and
 * which have another wire type than theirs. A loader looks only at what it needs. */
#ifndef TFPROF_LOAD_AUDIT_H
#define TFPROF_LOAD_AUDIT_H

#include "load/inputs.h"
#include "proto/decoder.h"
#include "proto/schema.h"

struct field_counts {
	size_t n_unknown;  /* that the type does not have */
	size_t n_mistyped; /* that it has, with another wire type */
};

/* NULL if the type has no field of this number. */
const struct schema_field *audit_find(const struct schema_message *type, uint32_t number);

/* The field of a tag; if the type does not have it, with this wire type, it is counted and
 * NULL. Costs a search: ask about what is not read. */
const struct schema_field *audit_field(const struct schema_message *type, uint32_t tag,
	struct field_counts *counts);

/* Counts the fields of a message and of all messages in it. Fails where it is malformed. */
void audit_message(struct decoder *d, const struct schema_message *type, struct span message,
	struct field_counts *counts);

/* The type of the nodes of a saved profile. */
const struct schema_message *audit_get_profile_node(void);

/* The type of a kind; NULL if it is not a message. */
const struct schema_message *audit_get_type(enum input_kind kind);

#endif
