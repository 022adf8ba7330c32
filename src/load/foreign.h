/* Marks of files that are often next to ours but are not inputs (see the table in
 * recognize.c). Messages without magic bytes are recognized by their structure: all of their
 * first fields have numbers and types of the kind, and so do those nested in them. Bytes
 * may be cut off anywhere. */
#ifndef TFPROF_LOAD_FOREIGN_H
#define TFPROF_LOAD_FOREIGN_H

#include "base/span.h"

bool foreign_is_fingerprint(struct span bytes);
bool foreign_is_keras_metadata(struct span bytes);
bool foreign_is_onnx(struct span bytes);
bool foreign_is_tflite(struct span bytes);
bool foreign_is_events(struct span bytes);
bool foreign_is_records(struct span bytes);
bool foreign_is_timeline(struct span bytes);

#endif
