/* What the names of events say of the time they take: one table of patterns.
 *
 * The names are internals of TensorFlow, JAX and XLA as of 2024 to 2026. */
#ifndef TFPROF_LOAD_ANATOMY_NAMES_H
#define TFPROF_LOAD_ANATOMY_NAMES_H

#include <stdint.h>

#include "base/span.h"
#include "model/anatomy.h"

/* What an operation does; beyond the parts of a step there are two. */
enum work_class {
	WORK_INPUT = N_ANATOMY_PARTS, /* of tf.data: never part of a step itself */
	WORK_WAIT,                    /* for another operation */
	WORK_NONE,                    /* no operation */
};

enum {
	NAME_PYTHON = 1 << 0,       /* "$file.py:line function" */
	NAME_REGION_START = 1 << 1, /* a task of a thread pool */
	NAME_REGION_STOP = 1 << 2,
	NAME_RECORD = 1 << 3,  /* queues one */
	NAME_AWAIT = 1 << 4,   /* begins or ends a wait */
	NAME_END = 1 << 5,     /* of an operation */
	NAME_THUNKS = 1 << 6,  /* runs operations of a program */
	NAME_PROCESS = 1 << 7, /* runs operations of a function */
	NAME_ASYNC_START = 1 << 8,
	NAME_ASYNC_DONE = 1 << 9,
	NAME_CAPTURED = 1 << 10, /* tf.data calls a function */
	NAME_ITERATOR = 1 << 11, /* a stage of tf.data */
	NAME_GET_NEXT = 1 << 12, /* takes a batch */
	NAME_JIT = 1 << 13,      /* calls a compiled function of JAX */
	NAME_LAUNCH = 1 << 14,   /* runs something: the main thread has most of these */
	NAME_RENDEZVOUS = 1 << 15,
	NAME_EAGER = 1 << 16,
	NAME_EAGER_KERNEL = 1 << 17,
	NAME_KERNEL_AND_DEVICE = 1 << 18,
	NAME_PROGRAM = 1 << 19, /* runs a program; its operations may not be recorded */
	NAME_RUNS = 1 << 20,    /* runs a program: runtime if nothing works meanwhile */
	NAME_COMPILE = 1 << 21,
	NAME_INPUT = 1 << 22,
	NAME_WAITING = 1 << 23,
	NAME_COPY = 1 << 24,
	NAME_DISPATCH = 1 << 25,
	NAME_CLOCK = 1 << 26,  /* of tfprof's samples of Python's stack, see samples.c */
	NAME_DRIVER = 1 << 27, /* a call of a GPU's driver that makes something run there */
	NAME_LOOP = 1 << 28,   /* a loop of a graph over a dataset asks for the next element */
};

/* All of them that hold for a name. */
uint32_t name_flags(struct span name);
/* Whether one of these does. */
bool name_is(struct span name, uint32_t flag);

/* What an operation of TensorFlow is, by its type; of XLA, by its opcode. */
unsigned class_of_type(struct span type);
unsigned class_of_opcode(struct span opcode);
/* Whether an operation of a type waits for others while it runs: a batch, a tensor of another
 * device, the end of something asynchronous. Its time is not work. */
bool type_waits(struct span type);
/* Whether an operation of TensorFlow serves an input pipeline; or waits for a queue instead. */
bool is_input_type(struct span type);
bool is_queue_type(struct span type);
/* What something on a device is, by its kind and name. */
unsigned class_of_device_op(struct span kind, struct span name, bool is_tpu);

/* A Python function that waits for the device. */
bool is_waiting_function(struct span function);

/* A file of a library, by its name alone. */
bool is_library_file(struct span file);

/* A line of a thread pool that runs compiled programs. */
bool is_program_line(struct span line);

#endif
