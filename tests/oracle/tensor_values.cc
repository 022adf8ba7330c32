/* Asks the original profiler for tensor values, which its Python functions
 * have no argument for: calls what libtensorflow_cc exports, with declarations
 * of our own. Objects of unknown size get more room than they can need.
 *
 * Built and called by tensor_values.py. */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

constexpr size_t kRoom = 1 << 16;

struct TSL_Status;
extern "C" TSL_Status *TF_NewStatus();
extern "C" int TF_GetCode(const TSL_Status *);
extern "C" const char *TF_Message(const TSL_Status *);

namespace google::protobuf {
class MessageLite {
public:
	std::string SerializeAsString() const;
};
}

namespace tensorflow::checkpoint {
class CheckpointReader {
public:
	CheckpointReader(const std::string &path, TSL_Status *status);
	char room[kRoom];
};
}

namespace tensorflow::tfprof {
class GraphNodeProto;
class Options;
class TFStats {
public:
	TFStats(const std::string &profile, std::unique_ptr<checkpoint::CheckpointReader> reader);
	void BuildView(const std::string &view);
	const GraphNodeProto &ShowGraphNode(const std::string &view, const Options &options) const;
	char room[kRoom];
};
}

using tensorflow::tfprof::Options;

/* The constructor, and FromProtoStr, whose status comes back through a pointer. */
extern "C" void options_init(void *options) __asm__("_ZN10tensorflow6tfprof7OptionsC2Ev");
extern "C" void options_from_message(uintptr_t *status, const std::string &message, void *options)
	__asm__("_ZN10tensorflow6tfprof7Options12FromProtoStrERKNSt7__cxx1112basic_stringIcSt11char_"
		"traitsIcESaIcEEEPS1_");

/* Shows a view of a saved profile with a checkpoint; gives the GraphNodeProto. */
extern "C" int show(const char *profile, const char *checkpoint, const char *view,
	const char *options_bytes, size_t n_options, char **message, size_t *n_message)
{
	TSL_Status *status = TF_NewStatus();
	auto reader = std::make_unique<tensorflow::checkpoint::CheckpointReader>(checkpoint, status);

	if (TF_GetCode(status)) {
		fprintf(stderr, "%s\n", TF_Message(status));
		return 1;
	}
	/* Never freed: what we know of these types does not suffice for it. */
	auto *stats = new tensorflow::tfprof::TFStats(profile, std::move(reader));
	void *options = calloc(1, kRoom);
	uintptr_t unused = 0;
	options_init(options);
	options_from_message(&unused, std::string(options_bytes, n_options), options);
	stats->BuildView(view);
	auto &shown = stats->ShowGraphNode(view, *static_cast<Options *>(options));
	std::string bytes =
		reinterpret_cast<const google::protobuf::MessageLite &>(shown).SerializeAsString();
	*n_message = bytes.size();
	*message = static_cast<char *>(malloc(bytes.size() + 1));
	memcpy(*message, bytes.data(), bytes.size());
	fflush(stdout);
	return 0;
}
