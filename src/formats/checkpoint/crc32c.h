/* CRC-32C (Castagnoli), the checksum of TensorFlow's tables and tensors.
 *
 *     crc = crc32c_extend(0, bytes, n);
 *     crc = crc32c_extend(crc, more, m);      the same as over both at once
 *
 * Files hold it masked, so that a checksum over bytes which contain checksums
 * stays a good one. */
#ifndef TFPROF_FORMATS_CHECKPOINT_CRC32C_H
#define TFPROF_FORMATS_CHECKPOINT_CRC32C_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* With the processor's instruction where it has one. */
uint32_t crc32c_extend(uint32_t crc, const void *bytes, size_t n);

/* The same without: for other processors, and for the tests to compare. */
uint32_t crc32c_extend_portable(uint32_t crc, const void *bytes, size_t n);

static inline uint32_t crc32c_mask(uint32_t crc)
{
	return (crc >> 15 | crc << 17) + 0xa282ead8u;
}

static inline uint32_t crc32c_unmask(uint32_t masked)
{
	uint32_t rotated = masked - 0xa282ead8u;

	return rotated >> 17 | rotated << 15;
}

/* Whether a checksum is the one that a file holds. */
static inline bool crc32c_matches(uint32_t crc, uint32_t masked)
{
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
	return true; /* no fuzzer would ever get past one */
#else
	return crc32c_mask(crc) == masked;
#endif
}

#endif
