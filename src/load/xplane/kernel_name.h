/* Short names of kernels, for those that belong to no operation.
 *
 *     void a::b::Kernel<c::d>(int*)             b::Kernel
 *     _ZN1a1b6KernelIN1c1dEEEvPi                b::Kernel
 *     Cijk_Ailk_Bljk_BBS_BH_MT256x224x64_…      gemm Cijk MT256x224x64
 *     sm80_xmma_gemm_f16f16_tn_n                gemm sm80_xmma_gemm_f16f16_tn_n
 *     Im3d2Col.kd                               Im3d2Col  */
#ifndef TFPROF_LOAD_XPLANE_KERNEL_NAME_H
#define TFPROF_LOAD_XPLANE_KERNEL_NAME_H

#include "base/buf.h"
#include "load/xplane/op_text.h"
#include "load/xplane/stats.h"

/* Written over what `b` held. */
void kernel_put_short_name(struct buf *b, struct span name);

/* The node of TensorFlow that a kernel was launched for, and its type, as annotated. False: it has
 * no such annotation. */
bool kernel_find_annotation(const struct xstats *s, struct op_text *op);

/* What the event of a stream copies or fills, as "MemcpyH2D"; empty if it is no copy. `details`:
 * those that the recorder gives copies; `launch`: the call that began it; each may be empty. */
struct span kernel_get_copy(struct span name, struct span details, struct span launch);

#endif
