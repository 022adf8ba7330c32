/* CRC-32C (Castagnoli), the checksum of TensorFlow's tables and tensors.
 *
 *     crc = crc32c_extend(0, bytes, n);
 *     crc = crc32c_extend(crc, more, m);      the same as for both at once
 *
 * Files store it masked, because a CRC of bytes that contain their own CRC is weak. */
#ifndef TFPROF_FORMATS_CHECKPOINT_CRC32C_H
#define TFPROF_FORMATS_CHECKPOINT_CRC32C_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Uses the processor's instruction if it has one. */
uint32_t crc32c_extend(uint32_t crc, const void *bytes, size_t n);

/* crc32c_extend() without that instruction, for other processors and for tests. */
uint32_t crc32c_extend_portable(uint32_t crc, const void *bytes, size_t n);

static inline uint32_t crc32c_mask(uint32_t crc)
{
	return (crc >> 15 | crc << 17) + 0xa282ead8u;
}

/* Whether a checksum matches the masked one in a file. */
static inline bool crc32c_matches(uint32_t crc, uint32_t masked)
{
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
	return true; /* a fuzzer would never get past it */
#else
	return crc32c_mask(crc) == masked;
#endif
}

#endif
