#include "load/foreign.h"

#include "formats/checkpoint/crc32c.h"
#include "proto/foreign_fields.h"
#include "proto/sniff.h"
#include "proto/wire.h"

enum { MAX_FIELDS = 64 }; /* looked at in a message */

static struct span head_of(struct span bytes, size_t most)
{
	return (struct span){bytes.at, bytes.n < most ? bytes.n : most};
}

/* ---- messages ------------------------------------------------------------------- */

/* The next field, also one that is cut off. */
static bool next(struct wire_reader *r, struct wire_field *f)
{
	struct wire_reader before = *r;
	uint64_t tag, n;

	if (wire_next(r, f))
		return true;
	if (!r->bad || !wire_varint(&before, &tag) || tag > UINT32_MAX || (tag & 7) != WIRE_T_LEN ||
		!wire_varint(&before, &n))
		return false;
	*f = (struct wire_field){.tag = (uint32_t)tag,
		.bytes = {before.at, (size_t)(before.end - before.at)}};
	r->at = r->end;
	r->bad = NULL;
	return true;
}

static int find_tag(const uint32_t *tags, uint32_t tag)
{
	for (int i = 0; tags[i]; i++)
		if (tags[i] == tag)
			return i;
	return -1;
}

/* Whether the first fields of a message are all among these, and which of them there
 * are: a bit for each. */
static bool has_only(struct span message, const uint32_t *tags, unsigned *seen)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;

	*seen = 0;
	for (int n = 0; n < MAX_FIELDS && next(&r, &f); n++) {
		int i = find_tag(tags, f.tag);

		if (i < 0)
			return false;
		*seen |= 1u << i;
	}
	return !r.bad;
}

/* FingerprintDef: five hashes, version, uuid */
bool foreign_is_fingerprint(struct span bytes)
{
	static const uint32_t tags[] = {WIRE_VARINT(FINGERPRINT_SAVED_MODEL_CHECKSUM),
		WIRE_VARINT(FINGERPRINT_GRAPH_DEF_HASH),
		WIRE_VARINT(FINGERPRINT_SIGNATURE_DEF_HASH),
		WIRE_VARINT(FINGERPRINT_OBJECT_GRAPH_HASH),
		WIRE_VARINT(FINGERPRINT_CHECKPOINT_HASH), WIRE_LEN(FINGERPRINT_VERSION),
		WIRE_LEN(FINGERPRINT_UUID), 0};
	unsigned seen;

	return bytes.n < 1000 && has_only(bytes, tags, &seen) && (seen & 15) == 15;
}

/* SavedMetadata: nodes of version, node_id, node_path, identifier, metadata */
bool foreign_is_keras_metadata(struct span bytes)
{
	static const uint32_t tags[] = {WIRE_LEN(OBJECT_METADATA_IDENTIFIER),
		WIRE_LEN(OBJECT_METADATA_VERSION), WIRE_VARINT(OBJECT_METADATA_NODE_ID),
		WIRE_LEN(OBJECT_METADATA_NODE_PATH), WIRE_LEN(OBJECT_METADATA_METADATA), 0};
	struct wire_reader r = wire_reader(bytes);
	struct wire_field f;
	unsigned seen;

	return next(&r, &f) && f.tag == WIRE_LEN(SAVED_METADATA_NODES) &&
		has_only(f.bytes, tags, &seen) && seen & 1 &&
		span_contains(head_of(f.bytes, 4096), SPAN("_tf_keras_"));
}

/* ModelProto: it begins with the version of its format. */
bool foreign_is_onnx(struct span bytes)
{
	static const uint32_t tags[] = {WIRE_VARINT(ONNX_IR_VERSION), WIRE_LEN(ONNX_GRAPH),
		WIRE_LEN(ONNX_PRODUCER_NAME), WIRE_LEN(ONNX_PRODUCER_VERSION),
		WIRE_LEN(ONNX_DOMAIN), WIRE_VARINT(ONNX_MODEL_VERSION), WIRE_LEN(ONNX_DOC_STRING),
		WIRE_LEN(ONNX_OPSET_IMPORT), WIRE_LEN(ONNX_METADATA_PROPS),
		WIRE_LEN(ONNX_TRAINING_INFO), WIRE_LEN(ONNX_FUNCTIONS), 0};
	unsigned seen;

	return bytes.n > 2 && bytes.at[0] == WIRE_VARINT(ONNX_IR_VERSION) && bytes.at[1] > 0 &&
		bytes.at[1] < 32 && has_only(bytes, tags, &seen) && (seen & 3) == 3;
}

/* ---- others --------------------------------------------------------------------- */

bool foreign_is_tflite(struct span bytes)
{
	return bytes.n >= 8 && memcmp(bytes.at + 4, "TFL3", 4) == 0;
}

static uint32_t get32(const char *at)
{
	const unsigned char *b = (const unsigned char *)at;

	return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* A record is { length, checksum of the length, bytes, checksum }. */
bool foreign_is_records(struct span bytes)
{
	return bytes.n >= 16 && get32(bytes.at + 4) == 0 &&
		crc32c_mask(crc32c_extend(0, bytes.at, 8)) == get32(bytes.at + 8);
}

/* The version is in the first record. */
bool foreign_is_events(struct span bytes)
{
	struct span head = head_of(bytes, 64);
	size_t at = span_find(head, SPAN("brain.Event:"));

	return head.n > 12 && at > 12 && at < head.n;
}

bool foreign_is_timeline(struct span bytes)
{
	return sniff_is_text(bytes) && sniff_is_json(bytes) &&
		span_contains(head_of(bytes, 4096), SPAN("\"traceEvents\""));
}
