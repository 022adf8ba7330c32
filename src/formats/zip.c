#include "formats/zip.h"

#include <zlib.h>

enum {
	END_SIZE = 22,   /* of the end record without its comment */
	ENTRY_SIZE = 46, /* of an entry of the directory without its texts */
	LOCAL_SIZE = 30, /* of the header before a member */
	MAX_COMMENT = 65535,
	STORED = 0,
	DEFLATED = 8,
};

static uint16_t get16(const char *at)
{
	const unsigned char *p = (const unsigned char *)at;

	return (uint16_t)(p[0] | p[1] << 8);
}

static uint32_t get32(const char *at)
{
	return get16(at) | (uint32_t)get16(at + 2) << 16;
}

/* The end record is before a comment of any text. NULL if there is none. */
static const char *find_end(struct span zip)
{
	size_t most = zip.n < MAX_COMMENT + END_SIZE ? zip.n : MAX_COMMENT + END_SIZE;

	for (size_t back = END_SIZE; back <= most; back++)
		if (memcmp(zip.at + zip.n - back, "PK\x05\x06", 4) == 0)
			return zip.at + zip.n - back;
	return NULL;
}

struct member {
	int method;
	uint32_t packed, unpacked, offset;
};

/* How many members have this name; `*m` is the last of them. */
static unsigned find_member(struct span zip, const char *end, struct span name, struct member *m)
{
	unsigned found = 0;
	uint32_t n = get16(end + 10);
	size_t at = get32(end + 16), limit = (size_t)(end - zip.at);

	for (uint32_t i = 0; i < n && at + ENTRY_SIZE <= limit; i++) {
		const char *entry = zip.at + at;
		size_t name_n = get16(entry + 28), extra = get16(entry + 30);
		size_t size = ENTRY_SIZE + name_n + extra + get16(entry + 32);

		if (memcmp(entry, "PK\x01\x02", 4) != 0 || size > limit - at)
			break;
		if (span_equal((struct span){entry + ENTRY_SIZE, name_n}, name)) {
			*m = (struct member){get16(entry + 10), get32(entry + 20),
				get32(entry + 24), get32(entry + 42)};
			found++;
		}
		at += size;
	}
	return found;
}

static enum tfprof_status inflate_member(struct span packed, uint32_t size, size_t most,
	struct buf *room, struct tfprof_error *err)
{
	z_stream z = {0};
	int result;

	if (size > most)
		return error_set(err, TFPROF_FORMAT,
			"a member of %u bytes: at most %zu are unpacked", size, most);
	/* Deflate cannot do better than 1032 : 1. */
	if (size / 1032 > packed.n)
		return error_set(err, TFPROF_FORMAT, "a member claims %u bytes, packed in %zu",
			size, packed.n);
	if (!buf_reserve(room, size) || inflateInit2(&z, -MAX_WBITS) != Z_OK)
		return error_no_memory(err);
	z.next_in = (Bytef *)packed.at;
	z.avail_in = (uInt)packed.n;
	z.next_out = (Bytef *)room->at;
	z.avail_out = size;
	result = inflate(&z, Z_FINISH);
	inflateEnd(&z);
	if (result != Z_STREAM_END || z.total_out != size)
		return error_set(err, TFPROF_FORMAT, "a damaged member");
	room->n = size;
	room->at[size] = '\0';
	return TFPROF_OK;
}

enum tfprof_status zip_get(struct span zip, const char *name, size_t most, struct buf *room,
	struct span *bytes, struct tfprof_error *err)
{
	const char *end = zip.n >= END_SIZE ? find_end(zip) : NULL;
	enum tfprof_status status;
	struct member m = {0};
	unsigned found;
	size_t start;

	if (!end)
		return error_set(err, TFPROF_FORMAT,
			"a zip archive without its end: cut short: copy it again, or repair "
			"it (zip -FF FILE --out NEW)");
	if (get32(end + 16) == UINT32_MAX)
		return error_set(err, TFPROF_FORMAT, "a zip64 archive, which is not supported");
	found = find_member(zip, end, span_of(name), &m);
	if (!found)
		return error_set(err, TFPROF_UNSUPPORTED, "no member %s", name);
	if (found > 1)
		return error_set(err, TFPROF_FORMAT,
			"%s is in the archive %u times, and programs differ in which they read",
			name, found);
	if (m.offset > zip.n || zip.n - m.offset < LOCAL_SIZE ||
		memcmp(zip.at + m.offset, "PK\x03\x04", 4) != 0)
		return error_set(err, TFPROF_FORMAT, "%s: not at byte %u of %zu", name, m.offset,
			zip.n);
	start = (size_t)m.offset + LOCAL_SIZE + get16(zip.at + m.offset + 26) +
		get16(zip.at + m.offset + 28);
	if (start > zip.n || zip.n - start < m.packed)
		return error_set(err, TFPROF_FORMAT, "%s: %u bytes at %zu of %zu", name, m.packed,
			start, zip.n);
	*bytes = (struct span){zip.at + start, m.packed};
	if (m.method == STORED)
		return TFPROF_OK;
	if (m.method != DEFLATED)
		return error_set(err, TFPROF_FORMAT, "%s: compression method %d is not supported",
			name, m.method);
	status = inflate_member(*bytes, m.unpacked, most, room, err);
	*bytes = buf_get(room);
	return status;
}
