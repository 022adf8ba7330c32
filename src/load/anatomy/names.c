#include "load/anatomy/names.h"

#include "base/ascii.h"

enum how {
	EQUALS,
	STARTS,
	ENDS,
	HAS,
	WORD, /* starts with the text; then letters, digits and _ up to the rest */
};

struct pattern {
	uint32_t is;
	enum how how;
	const char *text, *rest;
};

static const struct pattern names[] = {
	{NAME_PYTHON, STARTS, "$", ""},
	{NAME_CLOCK, EQUALS, "tfprof_clock", ""},
	{NAME_REGION_START, EQUALS, "ThreadpoolListener::StartRegion", ""},
	{NAME_REGION_STOP, EQUALS, "ThreadpoolListener::StopRegion", ""},
	{NAME_RECORD, EQUALS, "ThreadpoolListener::Record", ""},
	{NAME_AWAIT, ENDS, "::Await", ""},
	{NAME_END, STARTS, "end: ", ""},
	{NAME_THUNKS, EQUALS, "ThunkExecutor::Execute", ""},
	{NAME_PROCESS, EQUALS, "ExecutorState::Process", ""},
	{NAME_ASYNC_START, EQUALS, "ExecutorState::ProcessAsync::Start", ""},
	{NAME_ASYNC_DONE, EQUALS, "ExecutorState::ProcessAsync::Done", ""},
	{NAME_CAPTURED, STARTS, "InstantiatedCapturedFunction", ""},
	{NAME_ITERATOR, STARTS, "Iterator::", ""},
	{NAME_ITERATOR, STARTS, "ReduceIterator::", ""},
	{NAME_LOOP, EQUALS, "ReduceIterator::Root", ""},
	{NAME_LOOP, EQUALS, "MakeIterator::RootDataset", ""},
	{NAME_GET_NEXT, WORD, "IteratorGetNext", "::DoCompute"},
	{NAME_JIT, STARTS, "PjitFunction(", ""},
	{NAME_JIT, STARTS, "PmapFunction(", ""},
	{NAME_LAUNCH, STARTS, "PjitFunction", ""},
	{NAME_LAUNCH, STARTS, "TFE_Py_", ""},
	{NAME_LAUNCH, STARTS, "EagerExecute", ""},
	{NAME_RENDEZVOUS, EQUALS, "Rendezvous", ""},
	{NAME_EAGER, EQUALS, "EagerExecute", ""},
	{NAME_EAGER_KERNEL, EQUALS, "KernelAndDeviceFunc::Run", ""},
	{NAME_EAGER_KERNEL, EQUALS, "KernelAndDeviceOp::Run", ""},
	{NAME_EAGER_KERNEL, EQUALS, "EagerKernelExecute", ""},
	{NAME_KERNEL_AND_DEVICE, STARTS, "KernelAndDevice", ""},
	{NAME_PROGRAM, WORD, "Tfrt", "Executable::ExecuteHelper"},
	{NAME_PROGRAM, WORD, "PjRt", "Executable::ExecuteHelper"},
	{NAME_PROGRAM, WORD, "CommonPjRt", "Executable::ExecuteHelper"},
	{NAME_PROGRAM, WORD, "__inference_", ":__inference_"},
	{NAME_RUNS, STARTS, "ThunkExecutor::Execute", ""},
	{NAME_RUNS, STARTS, "CpuExecutable::Execute", ""},
	{NAME_RUNS, STARTS, "FunctionRun", ""},
	{NAME_COMPILE, HAS, "backend_compile", ""},
	{NAME_COMPILE, ENDS, "Compile", ""},
	{NAME_COMPILE, ENDS, "compile", ""},
	{NAME_COMPILE, ENDS, "CompileAndLoad", ""},
	{NAME_COMPILE, ENDS, "compileAndLoad", ""},
	{NAME_COMPILE, HAS, "::Compile", ""},
	{NAME_COMPILE, HAS, "XlaCompile", ""},
	{NAME_COMPILE, HAS, "lower_sharding_computation", ""},
	{NAME_COMPILE, HAS, "lower_mesh_computation", ""},
	{NAME_COMPILE, HAS, "trace_to_jaxpr", ""},
	{NAME_COMPILE, HAS, "tf.function-graph_building", ""},
	{NAME_COMPILE, HAS, "CompileSingleOp", ""},
	{NAME_COMPILE, STARTS, "HLO passes", ""},
	{NAME_COMPILE, HAS, "GraphConstructor", ""},
	{NAME_COMPILE, HAS, "OptimizeGraph", ""},
	{NAME_COMPILE, HAS, "InstantiateFunction", ""},
	{NAME_INPUT, WORD, "IteratorGetNext", "::"},
	{NAME_INPUT, STARTS, "Iterator::", ""},
	{NAME_INPUT, STARTS, "MakeIterator::", ""},
	{NAME_INPUT, STARTS, "MultiDeviceIterator", ""},
	{NAME_WAITING, HAS, "wait for completion", ""},
	{NAME_WAITING, HAS, "::Await", ""},
	{NAME_WAITING, STARTS, "Await", ""},
	{NAME_WAITING, HAS, "BlockUntilReady", ""},
	{NAME_WAITING, HAS, "BlockHostUntilDone", ""},
	{NAME_WAITING, STARTS, "Wait for", ""},
	{NAME_WAITING, STARTS, "Wait:", ""},
	{NAME_WAITING, EQUALS, "Rendezvous", ""},
	{NAME_WAITING, HAS, "SynchronizeStream", ""},
	{NAME_WAITING, HAS, "StreamSynchronize", ""},
	{NAME_WAITING, HAS, "EventSynchronize", ""},
	{NAME_WAITING, HAS, "CtxSynchronize", ""},
	{NAME_WAITING, HAS, "KernelAndDeviceFunc::Run", ""},
	{NAME_WAITING, HAS, "dependency-wait", ""},
	{NAME_WAITING, HAS, "barrier-cores", ""},
	{NAME_COPY, STARTS, "H2D Dispatch", ""},
	{NAME_COPY, STARTS, "D2H Dispatch", ""},
	{NAME_COPY, HAS, "TransferToDevice", ""},
	{NAME_COPY, HAS, "TransferFromDevice", ""},
	{NAME_COPY, HAS, "TransferHToD", ""},
	{NAME_COPY, HAS, "PCIe/Memcpy", ""},
	{NAME_COPY, STARTS, "CopyToMemorySpace", ""},
	{NAME_COPY, HAS, "BufferFromHost", ""},
	{NAME_COPY, EQUALS, "EagerCopyToDevice", ""},
	{NAME_COPY, HAS, "ToLiteral", ""},
	{NAME_COPY, STARTS, "Memcpy", ""},
	{NAME_COPY, HAS, "MemcpyH2D", ""},
	{NAME_COPY, HAS, "MemcpyD2H", ""},
	{NAME_COPY, STARTS, "DevicePut", ""},
	{NAME_DISPATCH, STARTS, "PjitFunction", ""},
	{NAME_DISPATCH, STARTS, "PmapFunction", ""},
	{NAME_DISPATCH, STARTS, "ParseArguments", ""},
	{NAME_DISPATCH, HAS, "Execute", ""},
	{NAME_DISPATCH, STARTS, "TFE_", ""},
	{NAME_DISPATCH, STARTS, "Eager", ""},
	{NAME_DISPATCH, STARTS, "FunctionRun", ""},
	{NAME_DISPATCH, HAS, "LaunchOnDevice", ""},
	{NAME_DISPATCH, STARTS, "Handle input", ""},
	{NAME_DISPATCH, HAS, "AllocateOutput", ""},
	{NAME_DISPATCH, HAS, "CreateOutputs", ""},
	{NAME_DISPATCH, STARTS, "shard_args", ""},
	{NAME_DISPATCH, HAS, "cpp_pjit", ""},
	{NAME_DISPATCH, HAS, "convert_to_tensor", ""},
	{NAME_DISPATCH, HAS, "tf.constant", ""},
	{NAME_DISPATCH, HAS, "ValidateInput", ""},
	{NAME_DISPATCH, HAS, "CollectGarbage", ""},
	{NAME_DISPATCH, HAS, "LaunchKernel", ""},
	{NAME_DISPATCH, HAS, "RecordUsage", ""},
	{NAME_DRIVER, STARTS, "cuLaunch", ""},
	{NAME_DRIVER, STARTS, "cuGraphLaunch", ""},
	{NAME_DRIVER, STARTS, "cuMem", ""},
	{NAME_DRIVER, STARTS, "cudaLaunch", ""},
	{NAME_DRIVER, STARTS, "cudaGraphLaunch", ""},
	{NAME_DRIVER, STARTS, "cudaMem", ""},
	{NAME_DRIVER, STARTS, "hipLaunch", ""},
	{NAME_DRIVER, STARTS, "hipGraphLaunch", ""},
	{NAME_DRIVER, STARTS, "hipExt", ""},
	{NAME_DRIVER, STARTS, "hipModuleLaunch", ""},
	{NAME_DRIVER, STARTS, "hipMem", ""},
	{NAME_DISPATCH, HAS, "ExecutorState::", ""},
	{NAME_DISPATCH, HAS, "ExecutorDoneCallback", ""},
};

/* The first that holds. */
static const struct pattern types[] = {
	{ANATOMY_INPUT, STARTS, "IteratorGetNext", ""},
	{ANATOMY_INPUT, STARTS, "OptionalGetValue", ""},
	{ANATOMY_INPUT, STARTS, "MultiDeviceIteratorGetNext", ""},
	{ANATOMY_INPUT, STARTS, "OneShotIterator", ""},
	{ANATOMY_INPUT, WORD, "Queue", "Dequeue"},
	{ANATOMY_INPUT, STARTS, "ReaderRead", ""},
	{ANATOMY_COMMUNICATION, STARTS, "Collective", ""},
	{ANATOMY_COMMUNICATION, STARTS, "Nccl", ""},
	{ANATOMY_COMMUNICATION, STARTS, "_Nccl", ""},
	{WORK_WAIT, STARTS, "_Recv", ""},
	{WORK_WAIT, STARTS, "_HostRecv", ""},
	{WORK_WAIT, STARTS, "_HostSend", ""},
	{WORK_WAIT, STARTS, "_Send", ""},
	{ANATOMY_RUNTIME, HAS, "PartitionedCall", ""},
	{ANATOMY_RUNTIME, STARTS, "While", ""},
	{ANATOMY_RUNTIME, STARTS, "StatelessWhile", ""},
	{ANATOMY_RUNTIME, STARTS, "If", ""},
	{ANATOMY_RUNTIME, STARTS, "StatelessIf", ""},
	{ANATOMY_RUNTIME, STARTS, "Case", ""},
	{ANATOMY_RUNTIME, STARTS, "RemoteCall", ""},
	{ANATOMY_RUNTIME, STARTS, "SymbolicGradient", ""},
	{ANATOMY_RUNTIME, STARTS, "XlaLaunch", ""},
	{ANATOMY_RUNTIME, STARTS, "_XlaRun", ""},
	{ANATOMY_RUNTIME, STARTS, "__inference_", ""},
	{ANATOMY_RUNTIME, STARTS, "__forward_", ""},
	{ANATOMY_RUNTIME, STARTS, "__backward_", ""},
	{ANATOMY_CALLBACK, EQUALS, "PyFunc", ""},
	{ANATOMY_CALLBACK, EQUALS, "EagerPyFunc", ""},
	{ANATOMY_CALLBACK, EQUALS, "PyFuncStateless", ""},
};

/* Collectives also come with -start and -done. */
static const struct pattern opcodes[] = {
	{ANATOMY_COMMUNICATION, EQUALS, "all-reduce", ""},
	{ANATOMY_COMMUNICATION, EQUALS, "all-gather", ""},
	{ANATOMY_COMMUNICATION, EQUALS, "reduce-scatter", ""},
	{ANATOMY_COMMUNICATION, EQUALS, "collective-permute", ""},
	{ANATOMY_COMMUNICATION, EQUALS, "all-to-all", ""},
	{ANATOMY_COMMUNICATION, EQUALS, "collective-broadcast", ""},
	{ANATOMY_COMMUNICATION, EQUALS, "ragged-all-to-all", ""},
	{ANATOMY_COMMUNICATION, EQUALS, "send", ""},
	{ANATOMY_COMMUNICATION, EQUALS, "recv", ""},
	{ANATOMY_RUNTIME, EQUALS, "while", ""},
	{ANATOMY_RUNTIME, EQUALS, "call", ""},
	{ANATOMY_RUNTIME, EQUALS, "conditional", ""},
	{ANATOMY_RUNTIME, EQUALS, "async", ""},
};

/* Of the kind and the name of what ran on a device, in lower case. */
static const struct pattern device_ops[] = {
	{ANATOMY_COMMUNICATION, HAS, "all-reduce", ""},
	{ANATOMY_COMMUNICATION, HAS, "all-gather", ""},
	{ANATOMY_COMMUNICATION, HAS, "reduce-scatter", ""},
	{ANATOMY_COMMUNICATION, HAS, "collective", ""},
	{ANATOMY_COMMUNICATION, HAS, "all-to-all", ""},
	{ANATOMY_COMMUNICATION, HAS, "nccl", ""},
	{ANATOMY_COMMUNICATION, HAS, "rccl", ""},
	{ANATOMY_INPUT, HAS, "infeed", ""},
	{ANATOMY_COPY, HAS, "memcpy", ""},
	{ANATOMY_COPY, HAS, "memset", ""},
	{ANATOMY_COPY, HAS, "copybuffer", ""},
	{ANATOMY_COPY, HAS, "fillbuffer", ""},
	{ANATOMY_COPY, HAS, "copydevice", ""},
};

static const struct pattern tpu_ops[] = {
	{ANATOMY_COPY, HAS, "copy-start", ""},
	{ANATOMY_COPY, HAS, "copy-done", ""},
	{ANATOMY_COPY, STARTS, "copy", ""},
	{ANATOMY_COPY, HAS, "outfeed", ""},
	{ANATOMY_COPY, HAS, "host send", ""},
	{ANATOMY_COPY, HAS, "host recv", ""},
};

static const struct pattern waiting_functions[] = {
	{1, EQUALS, "block_until_ready", ""},
	{1, EQUALS, "try_to_block", ""},
	{1, EQUALS, "_value", ""},
	{1, EQUALS, "__array__", ""},
	{1, EQUALS, "item", ""},
	{1, EQUALS, "effects_barrier", ""},
	{1, EQUALS, "numpy", ""},
	{1, EQUALS, "_numpy", ""},
};

/* Files of Python, NumPy and JAX in which programs often wait. Frames have no folder. */
static const char *const library_files[] = {"_base.py", "_format_impl.py", "_methods.py",
	"_npyio_impl.py", "api.py", "array.py", "array_methods.py", "codecs.py", "connection.py",
	"contextlib.py", "copy.py", "dispatch.py", "encoder.py", "format.py", "fromnumeric.py",
	"function_base.py", "functools.py", "gzip.py", "handlers.py", "lax_numpy.py", "npyio.py",
	"numeric.py", "os.py", "pathlib.py", "pickle.py", "pjit.py", "process.py", "profiler.py",
	"queue.py", "queues.py", "random.py", "reductions.py", "selectors.py", "serialize.py",
	"shutil.py", "socket.py", "subprocess.py", "synchronize.py", "tempfile.py", "thread.py",
	"threading.py", "traceback_util.py", "tree_util.py", "ufunc_api.py", "ufuncs.py",
	"weakref.py", "xla_bridge.py", "zipfile.py", "__init__.py"};

static const struct pattern program_lines[] = {
	{1, STARTS, "tf_XLAEigen", ""},
	{1, STARTS, "tf_XLAPjRtCpuClient", ""},
	{1, STARTS, "tf_XLATfrtCpuClient", ""},
};

#define N_OF(list) (sizeof(list) / sizeof(*(list)))

static bool is_word(char c)
{
	return ascii_is_letter(c) || ascii_is_digit(c) || c == '_';
}

static bool has_word(struct span name, struct span start, struct span rest)
{
	size_t end;

	if (!span_starts(name, start))
		return false;
	name = span_from(name, start.n);
	end = span_find(name, rest);
	if (end == name.n)
		return false;
	for (size_t i = 0; i < end; i++)
		if (!is_word(name.at[i]))
			return false;
	return true;
}

static bool holds(const struct pattern *p, struct span name)
{
	struct span text = span_of(p->text);

	switch (p->how) {
	case EQUALS: return span_equal(name, text);
	case STARTS: return span_starts(name, text);
	case ENDS: return span_ends(name, text);
	case HAS: return span_contains(name, text);
	default: return has_word(name, text, span_of(p->rest));
	}
}

static uint32_t first_of(const struct pattern *list, size_t n, struct span name, uint32_t none)
{
	for (size_t i = 0; i < n; i++)
		if (holds(&list[i], name))
			return list[i].is;
	return none;
}

uint32_t name_flags(struct span name)
{
	uint32_t flags = 0;

	/* What a function of Python is called says nothing: "compile" may be that of `re`. */
	if (name_is(name, NAME_PYTHON))
		return NAME_PYTHON;
	for (size_t i = 0; i < N_OF(names); i++)
		if (!(flags & names[i].is) && holds(&names[i], name))
			flags |= names[i].is;
	return flags;
}

bool name_is(struct span name, uint32_t flag)
{
	for (size_t i = 0; i < N_OF(names); i++)
		if (names[i].is == flag && holds(&names[i], name))
			return true;
	return false;
}

unsigned class_of_type(struct span type)
{
	return first_of(types, N_OF(types), type, ANATOMY_COMPUTE);
}

bool is_input_type(struct span type)
{
	return class_of_type(type) == ANATOMY_INPUT || span_contains(type, SPAN("Dataset")) ||
		span_contains(type, SPAN("Iterator"));
}

bool is_queue_type(struct span type)
{
	return class_of_type(type) == ANATOMY_INPUT &&
		(span_starts(type, SPAN("Queue")) || span_starts(type, SPAN("Reader")));
}

bool type_waits(struct span type)
{
	unsigned class = class_of_type(type);

	return class == WORK_WAIT || class == ANATOMY_INPUT || span_ends(type, SPAN("-done"));
}

unsigned class_of_opcode(struct span opcode)
{
	static const struct span ends[] = {{"-start", 6}, {"-done", 5}};
	struct span base = opcode;

	for (size_t i = 0; i < N_OF(ends); i++)
		if (span_ends(opcode, ends[i]))
			base.n = opcode.n - ends[i].n;
	return first_of(opcodes, N_OF(opcodes), base, ANATOMY_COMPUTE);
}

unsigned class_of_device_op(struct span kind, struct span name, bool is_tpu)
{
	struct buf text = {0};
	unsigned class;

	buf_span(&text, kind);
	buf_char(&text, ' ');
	buf_span(&text, name);
	for (size_t i = 0; i < text.n; i++)
		if (text.at[i] >= 'A' && text.at[i] <= 'Z')
			text.at[i] = (char)(text.at[i] + 'a' - 'A');
	class = first_of(device_ops, N_OF(device_ops), buf_get(&text), WORK_NONE);
	if (class == WORK_NONE && is_tpu && !span_contains(buf_get(&text), SPAN("data formatting")))
		class = first_of(tpu_ops, N_OF(tpu_ops), buf_get(&text), WORK_NONE);
	buf_clear(&text);
	if (class == WORK_NONE)
		class = class_of_opcode(kind) == ANATOMY_RUNTIME ? ANATOMY_RUNTIME
								 : ANATOMY_COMPUTE;
	return class;
}

bool is_waiting_function(struct span function)
{
	return first_of(waiting_functions, N_OF(waiting_functions), function, 0);
}

bool is_library_file(struct span file)
{
	for (size_t i = 0; i < N_OF(library_files); i++)
		if (span_equal(file, span_of(library_files[i])))
			return true;
	return false;
}

bool is_program_line(struct span line)
{
	return first_of(program_lines, N_OF(program_lines), line, 0);
}
