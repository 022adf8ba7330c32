/* The values of a checkpoint's tensor, as shown by -select tensor_value.
 *
 *     [[1.00 2.00 ],
 *     [3.00 4.00 ],
 *     ],
 *
 * A scalar prints as a vector of one. Text is truncated to 10,000 bytes before each
 * closing bracket; if it is that long at the end, a line says so. Floats are first
 * rounded to six significant digits, here and in the message.
 *
 * In a TFProfTensorProto, integers and bools are value_int64 (a uint64 beyond its
 * range becomes negative), floats value_double, complex numbers two value_double,
 * strings value_str. Bytes that are not UTF-8 become \xNN; in the text, so do control
 * characters. */
#ifndef TFPROF_QUERY_TENSOR_VALUE_H
#define TFPROF_QUERY_TENSOR_VALUE_H

#include "base/buf.h"
#include "formats/checkpoint/checkpoint.h"

/* Appends to `text` the lines below the node's line, and to `message` the bytes of a
 * TFProfTensorProto; either may be NULL. The text reads only the values it shows, the
 * message reads all. A tensor of a type without values has no text and a message with
 * the type alone. */
enum tfprof_status tensor_value_put(const struct checkpoint *ckpt,
	const struct checkpoint_tensor *tensor, struct buf *text, struct buf *message,
	struct tfprof_error *err);

#endif
