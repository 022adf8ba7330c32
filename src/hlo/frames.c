#include "hlo/frames.h"

struct location {
	uint64_t file, function;
	int64_t line;
};

struct frame_reader {
	VEC(struct span) files, functions;
	VEC(struct location) locations;
};

static struct location read_location(struct decoder *d, struct span message)
{
	struct wire_reader r = wire_reader(message);
	struct location l = {0};
	struct wire_field f;

	while (decoder_next(d, &r, &f))
		switch (f.tag) {
		case WIRE_VARINT(STACK_FRAME_INDEX_FILE_LOCATION_FILE_NAME_ID):
			l.file = f.value;
			break;
		case WIRE_VARINT(STACK_FRAME_INDEX_FILE_LOCATION_FUNCTION_NAME_ID):
			l.function = f.value;
			break;
		case WIRE_VARINT(STACK_FRAME_INDEX_FILE_LOCATION_LINE):
			l.line = (int64_t)f.value;
			break;
		}
	return l;
}

#define NTH(list, id, none) ((id) && (id) <= (list).n ? (list).at[(id)-1] : (none))

/* Locations come before the frames that name them. */
static void read_frame(hlo_frames *frames, struct frame_reader *fr, struct decoder *d,
	struct span message)
{
	struct wire_reader r = wire_reader(message);
	struct location l = {0};
	struct hlo_frame frame = {0};
	struct wire_field f;

	while (decoder_next(d, &r, &f))
		switch (f.tag) {
		case WIRE_VARINT(STACK_FRAME_INDEX_STACK_FRAME_FILE_LOCATION_ID):
			l = NTH(fr->locations, f.value, (struct location){0});
			break;
		case WIRE_VARINT(STACK_FRAME_INDEX_STACK_FRAME_PARENT_FRAME_ID):
			frame.parent = f.value < UINT32_MAX ? (uint32_t)f.value : 0;
			break;
		}
	frame.file = NTH(fr->files, l.file, SPAN(""));
	frame.function = NTH(fr->functions, l.function, SPAN(""));
	frame.line = l.line;
	decoder_alloc(d, vec_push(frames, frame));
}

void hlo_frames_read(hlo_frames *frames, struct decoder *d, struct span message)
{
	struct wire_reader r = wire_reader(message);
	struct frame_reader fr = {0};
	struct wire_field f;

	while (!d->failed && decoder_next(d, &r, &f))
		switch (f.tag) {
		case WIRE_LEN(STACK_FRAME_INDEX_FILE_NAMES):
			decoder_alloc(d, vec_push(&fr.files, f.bytes));
			break;
		case WIRE_LEN(STACK_FRAME_INDEX_FUNCTION_NAMES):
			decoder_alloc(d, vec_push(&fr.functions, f.bytes));
			break;
		case WIRE_LEN(STACK_FRAME_INDEX_FILE_LOCATIONS):
			decoder_alloc(d, vec_push(&fr.locations, read_location(d, f.bytes)));
			break;
		case WIRE_LEN(STACK_FRAME_INDEX_STACK_FRAMES):
			read_frame(frames, &fr, d, f.bytes);
			break;
		}
	vec_clear(&fr.files);
	vec_clear(&fr.functions);
	vec_clear(&fr.locations);
}

/* A path of a library, or a text in angle brackets like <string>. */
static bool is_installed(struct span file)
{
	return span_contains(file, SPAN("site-packages")) ||
		span_contains(file, SPAN("dist-packages")) || span_starts(file, SPAN("<"));
}

uint32_t hlo_frames_find_own(const hlo_frames *frames, uint32_t frame)
{
	enum { MOST = 256 };
	uint32_t at = frame;

	if (!frame || frame > frames->n)
		return 0;
	for (int hops = 0; at && at <= frames->n && hops < MOST; hops++) {
		if (frames->at[at - 1].file.n && !is_installed(frames->at[at - 1].file))
			return at;
		at = frames->at[at - 1].parent;
	}
	return frame;
}
