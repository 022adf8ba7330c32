/* Instructions as TPUs write them into their traces:
 *
 *     %copy-done.2 = f32[5,8]{1,0:T(8,128)} copy-done((f32[5,8]{…S(5)}, …) %copy-start.2)
 *                    └──── result ────────┘ └opcode─┘ └──── operands ─────────────────┘
 *
 * Memory space S(5) is the host's. */
#ifndef TFPROF_LOAD_XPLANE_HLO_TEXT_H
#define TFPROF_LOAD_XPLANE_HLO_TEXT_H

#include "base/span.h"
#include "model/accelerator.h"

/* The instruction's name: "fusion.12" of "%fusion.12 = …"; the whole if it is no such text. */
struct span hlo_text_name(struct span text);
/* "copy-done"; empty if it is no such text. */
struct span hlo_text_opcode(struct span text);
/* The name of the first operand, "copy-start.2"; empty if it has none. */
struct span hlo_text_operand(struct span text);
/* Of a copy, or the wait for one. */
enum transfer_direction hlo_text_direction(struct span text);

#endif
