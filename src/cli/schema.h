/* The JSON Schema of each question, of the folder schemas, which the build puts into the program.
 */
#ifndef TFPROF_CLI_SCHEMA_H
#define TFPROF_CLI_SCHEMA_H

#include <stddef.h>

/* NULL past the end. */
const char *schema_get_name(size_t i);
/* NULL if there is none. */
const char *schema_get(const char *question);

#endif
