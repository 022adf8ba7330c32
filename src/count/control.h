/* What lowered loops share with other control flow. */
#ifndef TFPROF_COUNT_CONTROL_H
#define TFPROF_COUNT_CONTROL_H

struct walk;
struct run;
struct turns;

struct run *run_new(struct walk *w);
struct turns **run_turns(struct run *run);

#endif
