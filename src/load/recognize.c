/* Magic bytes identify some kinds, the name of the first field most texts. Binary messages
 * have no mark of their own: the type that fits best is taken (see sniff.h). */
#include "load/recognize.h"

#include "formats/checkpoint/table.h"
#include "load/directory.h"
#include "load/foreign.h"
#include "load/xplane/mark.h"
#include "load/xplane/run.h"
#include "proto/schema.h"
#include "proto/sniff.h"

/* clang-format off */
#define MAGIC(phrase, bytes) {.name = phrase, .magic = {bytes, sizeof(bytes) - 1}}
#define CONTAINER(phrase, bytes, of) \
	{.name = phrase, .magic = {bytes, sizeof(bytes) - 1}, .loaded = of}
#define MARK(phrase, is) {.name = phrase, .has_mark = is}
/* The last argument is .text_fields, and then any other member. */
#define MESSAGE(phrase, schema, key, ...) \
	{.name = phrase, .type = &schema_##schema, .key_field = key, \
		.text_name = phrase " in text form", .text_fields = __VA_ARGS__}
#define FILES(phrase, is, ending, list, ...) \
	{.name = phrase, .has_mark = is, .suffix = ending, .text_name = list, \
		.text_fields = __VA_ARGS__}
/* clang-format on */

static const struct look looks[] = {
#define X(id, name, subject, look, ...) look,
	INPUTS(X)
#undef X
	/* Foreign: recognized only to be refused by their names. One that gets a loader moves
	 * from here to INPUTS. */
	MESSAGE("a pprof profile", pprof_profile, "sample_type", ""),
	MARK("the fingerprint of a SavedModel", foreign_is_fingerprint),
	MARK("the metadata of a Keras SavedModel", foreign_is_keras_metadata),
	MARK("a TensorBoard event file", foreign_is_events),
	MARK("a TFRecord file", foreign_is_records),
	MARK("an ONNX model", foreign_is_onnx),
	MARK("a timeline (JSON of a Chrome trace)", foreign_is_timeline),
	MAGIC("a gzip-compressed file", "\x1f\x8b"),
	MAGIC("a zstd-compressed file", "\x28\xb5\x2f\xfd"),
	MAGIC("a NumPy array", "\x93NUMPY"),
	MAGIC("a PNG image", "\x89PNG\r\n\x1a\n"),
	MAGIC("a program or library (ELF)",
		"\x7f"
		"ELF"),
};

enum { N_LOOKS = sizeof(looks) / sizeof(*looks) };

const struct look *recognize_get_look(enum input_kind kind)
{
	return &looks[kind];
}

static struct recognized as_look(const struct look *look, bool is_text)
{
	enum input_kind kind =
		look - looks < N_INPUTS ? (enum input_kind)(look - looks) : INPUT_UNKNOWN;

	return (struct recognized){.name = is_text ? look->text_name : look->name,
		.kind = kind,
		.is_text = is_text,
		.is_certain = true};
}

static struct recognized as_other(const char *name, bool is_certain)
{
	return (struct recognized){.name = name, .kind = INPUT_UNKNOWN, .is_certain = is_certain};
}

static const struct look *find_mark(struct span bytes)
{
	for (size_t i = 0; i < N_LOOKS; i++)
		if ((looks[i].magic.n && span_starts(bytes, looks[i].magic)) ||
			(looks[i].has_mark && looks[i].has_mark(bytes)))
			return &looks[i];
	return NULL;
}

static bool has_word(const char *words, struct span word)
{
	while (*words) {
		size_t n = strcspn(words, " ");

		if (span_equal((struct span){words, n}, word))
			return true;
		words += n + (words[n] == ' ');
	}
	return false;
}

static const struct look *find_text(struct span bytes)
{
	struct span field = sniff_first_field(bytes);

	for (size_t i = 0; field.n && i < N_LOOKS; i++)
		if (looks[i].text_fields && has_word(looks[i].text_fields, field))
			return &looks[i];
	return NULL;
}

static const struct look *find_message(struct span bytes)
{
	const struct look *best = NULL;
	int most = SNIFF_ENOUGH - 1;

	for (size_t i = 0; i < N_LOOKS; i++) {
		bool has_key_field;
		int points;

		if (!looks[i].type)
			continue;
		points = sniff_points(looks[i].type, looks[i].key_field, bytes, &has_key_field);
		if (points > most) {
			most = points;
			best = has_key_field ? &looks[i] : NULL;
		} else if (points == most) {
			best = NULL;
		}
	}
	return best;
}

struct recognized recognize(struct span bytes)
{
	const struct look *look;
	bool is_text;

	if (!bytes.n)
		return as_other("an empty file", true);
	look = find_mark(bytes);
	if (look) {
		struct recognized marked = as_look(look, false);

		marked.is_marked = true;
		return marked;
	}
	is_text = sniff_is_text(bytes);
	look = is_text ? find_text(bytes) : NULL;
	if (look)
		return as_look(look, true);
	if (is_text && sniff_is_json(bytes))
		return as_other("JSON (perhaps a timeline)", true);
	look = find_message(bytes);
	if (look)
		return as_look(look, false);
	return is_text ? as_other("text of an unknown kind", true)
		       : as_other("something unknown", false);
}

const char *recognize_name(struct span bytes)
{
	return recognize(bytes).name;
}
