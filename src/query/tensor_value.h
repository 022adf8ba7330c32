/* The values of a checkpoint's tensor, as the select tensor_value shows them.
 *
 *     [[1.00 2.00 ],
 *     [3.00 4.00 ],
 *     ],
 *
 * A scalar prints as a vector of one. Text is cut to 10,000 bytes before each
 * closing bracket; if it has as many at the end, a line says so. Floats lose
 * all but six significant digits first, here and in the message.
 *
 * In a TFProfTensorProto integers and bools are value_int64 (a uint64 beyond
 * its range turns negative), floats value_double, a complex number two of
 * them, strings value_str (bytes that are not UTF-8 as \xNN, as the text has
 * control characters too). */
#ifndef TFPROF_QUERY_TENSOR_VALUE_H
#define TFPROF_QUERY_TENSOR_VALUE_H

#include "base/buf.h"
#include "formats/checkpoint/checkpoint.h"

/* Appends to `text` what belongs below the node's line, and to `message` the
 * bytes of a TFProfTensorProto; either may be NULL. The text takes no more of
 * the tensor than it shows, the message takes all of it. A tensor of a type
 * that has no values has no text and a message with only the type. */
enum tfprof_status tensor_value_put(const struct checkpoint *ckpt,
	const struct checkpoint_tensor *tensor, struct buf *text, struct buf *message,
	struct tfprof_error *err);

#endif
