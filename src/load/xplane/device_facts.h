/* What the plane of an accelerator says of it. */
#ifndef TFPROF_LOAD_XPLANE_DEVICE_FACTS_H
#define TFPROF_LOAD_XPLANE_DEVICE_FACTS_H

#include "base/buf.h"
#include "load/xplane/plane.h"
#include "model/accelerator.h"

struct accelerator_facts device_read_facts(const struct plane *p);
/* "TPU v6e", "AMD MI300X (gfx942)", "NVIDIA V100"; nothing if it cannot be told. */
void device_put_product(struct buf *b, const struct plane *p);

#endif
