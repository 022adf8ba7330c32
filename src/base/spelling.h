/* How texts name options and inputs: each front end calls them differently.
 *
 *     flags     --step       --step=3     --recover       --graph_path
 *     shell     -step        -step 3      -recover        -graph_path
 *     keywords  step         step=3       recover=True    graph=
 *
 * Code names an option with OPTION("step") and never writes dashes itself. */
#ifndef TFPROF_BASE_SPELLING_H
#define TFPROF_BASE_SPELLING_H

#include <tfprof/tfprof.h>

struct spelled {
	char text[160];
};

/* An option, as it is called. */
const char *spell_option(struct spelled *out, const char *name);
/* An option as it is given: with a value, or "" to leave the value to the reader. */
const char *spell_setting(struct spelled *out, const char *name, const char *value);
/* A bool that is turned on. */
const char *spell_switch(struct spelled *out, const char *name);
/* A kind of input, by its name: "graph". */
const char *spell_input(struct spelled *out, const char *name);

/* "-" or, for keywords, "": for texts of TensorFlow's profiler, which has one dash. */
const char *spell_dash(void);

/* For the arguments of printf; the text lives as long as the block that contains it. */
#define OPTION(name) spell_option(&(struct spelled){{0}}, name)
#define SETTING(name, value) spell_setting(&(struct spelled){{0}}, name, value)
#define SWITCH(name) spell_switch(&(struct spelled){{0}}, name)
#define INPUT(name) spell_input(&(struct spelled){{0}}, name)

#endif
