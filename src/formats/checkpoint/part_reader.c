#include "formats/checkpoint/part_reader.h"

#include <inttypes.h>

#include "formats/checkpoint/crc32c.h"

static const struct checkpoint_file *file_of(const struct part_reader *p,
	const struct checkpoint_reader *r)
{
	return &r->ckpt->files.at[p->part->file];
}

static enum tfprof_status fail(const struct part_reader *p, const struct checkpoint_reader *r,
	struct tfprof_error *err, const char *what)
{
	return checkpoint_tensor_error(err, TFPROF_FORMAT, file_of(p, r)->path, r->tensor->name,
		what);
}

/* ---- V2 -------------------------------------------------------------- */

static uint32_t load32(const char *at, bool swap)
{
	uint32_t value;

	memcpy(&value, at, 4);
	return swap ? __builtin_bswap32(value) : value;
}

/* Lengths are checksummed as the writer had them in memory. */
static uint32_t extend_length(uint32_t crc, uint64_t length, bool swap)
{
	uint32_t narrow = (uint32_t)length;

	if (length > UINT32_MAX) {
		length = swap ? __builtin_bswap64(length) : length;
		return crc32c_extend(crc, &length, 8);
	}
	narrow = swap ? __builtin_bswap32(narrow) : narrow;
	return crc32c_extend(crc, &narrow, 4);
}

/* Strings: finds where the texts begin. Sets `*crc` to that of all lengths and their
 * checksum, with which the tensor's checksum begins. */
static enum tfprof_status prepare_strings(struct part_reader *p, const struct checkpoint_reader *r,
	uint32_t *crc, struct tfprof_error *err)
{
	bool swap = r->ckpt->swap_bytes;
	struct wire_reader lengths = wire_reader(p->stored);
	uint64_t total = 0, length;

	*crc = 0;
	for (uint64_t i = 0; i < p->part->n_elements; i++) {
		if (!wire_varint(&lengths, &length) ||
			__builtin_add_overflow(total, length, &total))
			return fail(p, r, err, "the lengths of its strings are malformed");
		*crc = extend_length(*crc, length, swap);
	}
	if (lengths.end - lengths.at < 4 || total != (uint64_t)(lengths.end - lengths.at) - 4)
		return fail(p, r, err, "the lengths of its strings do not add up to its size");
	if (!crc32c_matches(*crc, load32(lengths.at, swap)))
		return fail(p, r, err, "checksum mismatch, the lengths of its strings are corrupt");
	*crc = crc32c_extend(*crc, lengths.at, 4);
	p->lengths = wire_reader((struct span){p->stored.at, (size_t)(lengths.at - p->stored.at)});
	p->texts = p->text = lengths.at + 4;
	return TFPROF_OK;
}

/* The number of elements is known to fit in 64 bits. */
static bool size_matches(const struct part *part, const struct dtype_info *type)
{
	uint64_t size;

	if (!type->size)
		return part->size >= 4 && part->n_elements <= part->size - 4;
	return !__builtin_mul_overflow(part->n_elements, (uint64_t)type->size, &size) &&
		size == part->size;
}

static enum tfprof_status prepare_bundle(struct part_reader *p, const struct checkpoint_reader *r,
	struct tfprof_error *err)
{
	const struct checkpoint_file *file = file_of(p, r);
	const struct part *part = p->part;
	enum tfprof_status status;
	const char *unread;
	uint32_t crc = 0;

	if (file->missing)
		return error_set(err, file->missing->status,
			"%.600s: tensor '%.*s' is in this shard", file->missing->text,
			ERROR_SPAN(r->tensor->name));
	if (part->offset > file->map.bytes.n || part->size > file->map.bytes.n - part->offset)
		return error_set(err, TFPROF_FORMAT,
			"%.400s: tensor '%.*s': truncated: it has %" PRIu64
			" bytes at byte %" PRIu64 ", the file ends at byte %zu",
			file->path, ERROR_SPAN(r->tensor->name), part->size, part->offset,
			file->map.bytes.n);
	if (!size_matches(part, r->type))
		return fail(p, r, err, "its size does not match its shape");
	p->stored = (struct span){file->map.bytes.at + part->offset, (size_t)part->size};
	unread = p->stored.at;
	if (r->type->kind == DTYPE_TEXT) {
		status = prepare_strings(p, r, &crc, err);
		if (status != TFPROF_OK)
			return status;
		unread = p->texts;
	}
	if (!r->whole && part->size > CHECKPOINT_HUGE)
		return TFPROF_OK;
	crc = crc32c_extend(crc, unread, (size_t)(p->stored.at + p->stored.n - unread));
	if (!crc32c_matches(crc, part->crc))
		return fail(p, r, err, "checksum mismatch, its bytes are corrupt");
	return TFPROF_OK;
}

static enum tfprof_status read_strings(struct part_reader *p, uint64_t first, uint64_t n,
	struct span *values)
{
	uint64_t length;

	if (first < p->next) {
		p->next = 0;
		p->text = p->texts;
		p->lengths.at = p->stored.at;
	}
	/* The lengths were checked when the part was prepared. */
	for (; p->next < first + n; p->next++) {
		wire_varint(&p->lengths, &length);
		if (p->next >= first)
			values[p->next - first] = (struct span){p->text, (size_t)length};
		p->text += length;
	}
	return TFPROF_OK;
}

/* ---- V1 -------------------------------------------------------------- */

static enum tfprof_status prepare_saved_slice(struct part_reader *p, struct checkpoint_reader *r,
	struct tfprof_error *err)
{
	const struct part *part = p->part;
	enum tfprof_status status;

	if (r->cursor_file != part->file) {
		table_end(&r->cursor);
		table_begin(&r->cursor, &file_of(p, r)->table, &r->arena);
		r->cursor.verify_huge = r->whole;
		r->cursor_file = part->file;
	}
	status = saved_slices_find(r->ckpt, part, r->tensor->name, &r->cursor, &p->stored, err);
	if (status != TFPROF_OK)
		return status;
	/* Each value takes at least a byte. */
	if (part->n_elements > p->stored.n)
		return fail(p, r, err, "it has fewer values than its shape needs");
	p->message = wire_reader(p->stored);
	return TFPROF_OK;
}

static uint32_t wire_type_of(const struct dtype_info *type)
{
	bool is_float = type->kind == DTYPE_REAL || type->kind == DTYPE_COMPLEX;

	if (is_float && type->unit == 8)
		return WIRE_T_I64;
	return is_float && type->unit == 4 ? WIRE_T_I32 : WIRE_T_VARINT;
}

/* The next number of a repeated field, packed or not. */
static bool next_number(struct part_reader *p, uint32_t field, uint32_t wire_type, uint64_t *bits)
{
	size_t width = wire_type == WIRE_T_I64 ? 8 : 4;
	struct wire_field f;

	while (p->items.at >= p->items.end) {
		if (!wire_next(&p->message, &f))
			return false;
		if (f.tag == WIRE_LEN(field)) {
			p->items = wire_reader(f.bytes);
		} else if (f.tag == (field << 3 | wire_type)) {
			*bits = f.value;
			return true;
		}
	}
	if (wire_type == WIRE_T_VARINT)
		return wire_varint(&p->items, bits);
	if ((size_t)(p->items.end - p->items.at) < width)
		return false;
	*bits = 0;
	memcpy(bits, p->items.at, width);
	p->items.at += width;
	return true;
}

static bool next_text(struct part_reader *p, uint32_t field, struct span *text)
{
	struct wire_field f;

	while (wire_next(&p->message, &f))
		if (f.tag == WIRE_LEN(field)) {
			*text = f.bytes;
			return true;
		}
	return false;
}

/* The field is wider than the type: cut the number to the bytes a V2 file would have,
 * which are then decoded the same way. */
static bool next_element(struct part_reader *p, const struct checkpoint_reader *r, uint32_t field,
	uint32_t wire_type, char *stored)
{
	const struct dtype_info *type = r->type;
	uint64_t bits;

	for (unsigned done = 0; done < type->size; done += type->unit) {
		if (!next_number(p, field, wire_type, &bits))
			return false;
		memcpy(stored + done, &bits, type->unit);
	}
	return true;
}

static enum tfprof_status read_saved_slice(struct part_reader *p, const struct checkpoint_reader *r,
	uint64_t first, uint64_t n, char *values, struct tfprof_error *err)
{
	uint32_t field = saved_slices_field(r->tensor->dtype), wire_type = wire_type_of(r->type);
	size_t value_size = dtype_value_size(r->type->kind);

	if (first < p->next) {
		p->next = 0;
		p->message = wire_reader(p->stored);
		p->items = (struct wire_reader){0};
	}
	for (; p->next < first + n; p->next++) {
		char stored[16];
		struct span text = {0};
		bool found = r->type->kind == DTYPE_TEXT
			? next_text(p, field, &text)
			: next_element(p, r, field, wire_type, stored);

		if (!found)
			return fail(p, r, err, "it has fewer values than its shape needs");
		if (p->next < first)
			continue;
		if (r->type->kind == DTYPE_TEXT)
			memcpy(values, &text, sizeof(text));
		else
			dtype_decode(r->type, stored, false, 1, values);
		values += value_size;
	}
	return TFPROF_OK;
}

/* ---- both ------------------------------------------------------------ */

enum tfprof_status part_reader_prepare(struct part_reader *p, struct checkpoint_reader *r,
	struct tfprof_error *err)
{
	enum tfprof_status status = TFPROF_OK;

	if (!p->is_ready)
		status =
			r->ckpt->is_v1 ? prepare_saved_slice(p, r, err) : prepare_bundle(p, r, err);
	p->is_ready = status == TFPROF_OK;
	return status;
}

enum tfprof_status part_reader_read(struct part_reader *p, const struct checkpoint_reader *r,
	uint64_t first, uint64_t n, void *values, size_t at, struct tfprof_error *err)
{
	char *to = (char *)values + at * dtype_value_size(r->type->kind);

	if (r->ckpt->is_v1)
		return read_saved_slice(p, r, first, n, to, err);
	if (r->type->kind == DTYPE_TEXT)
		return read_strings(p, first, n, (struct span *)(void *)to);
	dtype_decode(r->type, p->stored.at + first * r->type->size, r->ckpt->swap_bytes, (size_t)n,
		to);
	return TFPROF_OK;
}
