/* What type checkers know of the Python package's nodes: an attribute for each column
 * that comes without asking. */
#include "generate.h"

#include <string.h>

static const char *type_of(enum tfprof_column_type type)
{
	switch (type) {
	case TFPROF_COLUMN_TEXT: return "str";
	case TFPROF_COLUMN_TEXTS: return "List[str]";
	case TFPROF_COLUMN_BOOL: return "bool";
	case TFPROF_COLUMN_DOUBLE: return "float";
	default: return "int";
	}
}

void generate_python(struct text *out)
{
	const struct tfprof_column_info *info;

	text_add(out,
		"# Made by `tfprof --generate python` from the table of columns.\n"
		"from typing import List\n\nclass Columns:\n");
	/* In Python, the parent is a node. */
	for (size_t i = 0; (info = tfprof_column_get_info(i)); i++)
		if (!info->is_extra && strcmp(info->name, "parent") != 0)
			text_printf(out, "    %s: %s\n", info->name, type_of(info->type));
}
