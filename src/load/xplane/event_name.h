/* What the name of an event says of it. */
#ifndef TFPROF_LOAD_XPLANE_EVENT_NAME_H
#define TFPROF_LOAD_XPLANE_EVENT_NAME_H

#include "load/xplane/op_text.h"

/* id, the whole name of such an event; NULL where it is not always the same */
#define EVENT_KINDS(X)                                                                         \
	X(OTHER, NULL)                                                                         \
	X(OPERATION, NULL) /* "name:type" */                                                   \
	X(GARBLED, NULL)   /* not UTF-8 */                                                     \
	X(DATASET, NULL)   /* "Iterator::…" */                                               \
	X(PYTHON, NULL)    /* "$file:line function" */                                         \
	X(END, NULL)       /* "end: op": an asynchronous XLA operation is done */              \
	X(PJIT, NULL)      /* "PjitFunction(f)": JAX calls a compiled function */              \
	X(CAPTURED, NULL)  /* "InstantiatedCapturedFunction::…": tf.data calls one */        \
	X(WAIT, NULL)      /* a thread waits: names of anatomy/names.h */                      \
	X(AWAIT, NULL)     /* "…::Await": so do two events with a key, from first to last */ \
	X(DRIVER, NULL)    /* a GPU's driver makes something run: names of anatomy/names.h */  \
	X(EAGER, "EagerExecute")                                                               \
	X(ASYNC_START, "ExecutorState::ProcessAsync::Start")                                   \
	X(ASYNC_DONE, "ExecutorState::ProcessAsync::Done")                                     \
	X(PROCESS, "ExecutorState::Process")                                                   \
	X(GET_NEXT, "IteratorGetNextOp::DoCompute")                                            \
	X(GET_OPTIONAL, "IteratorGetNextAsOptionalOp::DoCompute")                              \
	X(FUNCTION_RUN, "FunctionRun")                                                         \
	X(TRACE_CONTEXT, "TraceContext")                                                       \
	X(RECORD, "ThreadpoolListener::Record") /* queues a task of a thread pool */           \
	X(EXECUTE, "ThunkExecutor::Execute")    /* runs operations of a program */             \
	X(REGION_START, "ThreadpoolListener::StartRegion")                                     \
	X(REGION_STOP, "ThreadpoolListener::StopRegion")                                       \
	X(ALLOCATION, "MemoryAllocation")                                                      \
	X(DEALLOCATION, "MemoryDeallocation")                                                  \
	X(THUNKS, "GpuExecutable::ExecuteThunks") /* a program begins on a GPU */

enum event_kind {
#define X(id, name) EVENT_##id,
	EVENT_KINDS(X)
#undef X
		N_EVENT_KINDS
};

enum event_kind event_kind_of(struct span name);

/* The function that an EVENT_PJIT calls: f of "PjitFunction(f)", and of "PjitFunction(jit(f))",
 * which is one that was compiled ahead of time. */
struct span event_name_get_function(struct span name);

#endif
