#include "load/input.h"

#include "base/buf.h"
#include "proto/schema.h"
#include "proto/sniff.h"
#include "proto/text.h"

static const struct {
	const char *name; /* of bytes from memory */
	const char *message;
	const struct schema_message *type;
	enum sniff_kind binary, text;
} kinds[] = {
	[INPUT_GRAPH] = {"the graph", "a GraphDef", &schema_graph_def, SNIFF_GRAPH,
		SNIFF_GRAPH_TEXT},
	[INPUT_RUN_META] = {"the run metadata", "a RunMetadata", &schema_run_metadata,
		SNIFF_RUN_META, SNIFF_RUN_META_TEXT},
	[INPUT_OP_LOG] = {"the op log", "an OpLogProto", &schema_op_log_proto, SNIFF_OP_LOG,
		SNIFF_OP_LOG_TEXT},
	[INPUT_PROFILE] = {"the profile", "a ProfileProto", &schema_profile_proto, SNIFF_PROFILE,
		SNIFF_PROFILE_TEXT},
};

const char *input_name(const struct tfprof_input *in, enum input_kind kind)
{
	return in->path ? in->path : kinds[kind].name;
}

enum tfprof_status input_status(const struct tfprof_input *in, enum input_kind kind,
	const struct source *s, const struct decoder *d, struct tfprof_error *err)
{
	if (!d->failed)
		return TFPROF_OK;
	if (!d->bad)
		return error_no_memory(err);
	return error_set(err, TFPROF_FORMAT,
		"%s: not %s from byte %zu of %zu on: the file is damaged or cut short",
		input_name(in, kind), kinds[kind].message, (size_t)(d->bad - s->bytes.at),
		s->bytes.n);
}

static enum tfprof_status wrong_kind(const struct tfprof_input *in, enum input_kind kind,
	enum sniff_kind looks, struct tfprof_error *err)
{
	const char *option = sniff_option(looks);

	return error_set(err, TFPROF_FORMAT, "%s: not %s: it looks like %s%s%s%s",
		input_name(in, kind), kinds[kind].message, sniff_name(looks),
		option ? " (give it as --" : "", option ? option : "", option ? ")" : "");
}

static enum tfprof_status convert_text(struct source *s, const struct tfprof_input *in,
	enum input_kind kind, struct tfprof_error *err)
{
	struct buf wire = {0};
	enum tfprof_status status = text_to_wire(kinds[kind].type, s->bytes, &wire, err);

	if (status != TFPROF_OK) {
		buf_clear(&wire);
		return error_prefix(err, status, input_name(in, kind));
	}
	source_close(s);
	*s = (struct source){.bytes = buf_get(&wire),
		.owner = wire.at ? SOURCE_HEAP : SOURCE_BORROWED};
	return TFPROF_OK;
}

enum tfprof_status input_open(struct source *s, const struct tfprof_input *in, enum input_kind kind,
	struct tfprof_error *err)
{
	enum tfprof_status status = source_open(s, in, err);
	enum sniff_kind looks;

	if (status != TFPROF_OK)
		return status;
	looks = sniff(s->bytes);
	if (looks == kinds[kind].text)
		status = convert_text(s, in, kind, err);
	else if (in->path && looks != kinds[kind].binary && looks != SNIFF_UNKNOWN)
		/* Memory comes from a program that knows what it gives. */
		status = wrong_kind(in, kind, looks, err);
	if (status != TFPROF_OK)
		source_close(s);
	return status;
}
