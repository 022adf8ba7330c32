#include "proto/wire_write.h"

/* Most messages are shorter than 128 bytes, so one byte is reserved for the length and
 * longer contents are moved. */
void wire_close(struct buf *b, size_t open)
{
	size_t length, extra;

	if (b->failed)
		return;
	length = b->n - open;
	extra = wire_varint_size(length) - 1;
	if (extra) {
		if (!buf_reserve(b, extra))
			return;
		memmove(b->at + open + extra, b->at + open, length);
		b->n += extra;
		b->at[b->n] = '\0';
	}
	wire_write_varint(b->at + open - 1, length);
}
