#include "hlo/window.h"

struct hlo_window hlo_window_read(struct decoder *d, struct span message)
{
	struct hlo_window w = {1, 1, 0, 1, 1};
	struct wire_reader r = wire_reader(message);
	struct wire_field f;

	while (decoder_next(d, &r, &f))
		switch (f.tag) {
		case WIRE_VARINT(WINDOW_DIMENSION_SIZE): w.size = (int64_t)f.value; break;
		case WIRE_VARINT(WINDOW_DIMENSION_STRIDE): w.stride = (int64_t)f.value; break;
		case WIRE_VARINT(WINDOW_DIMENSION_PADDING_LOW):
			w.padding_low = (int64_t)f.value;
			break;
		case WIRE_VARINT(WINDOW_DIMENSION_WINDOW_DILATION):
			w.window_dilation = (int64_t)f.value;
			break;
		case WIRE_VARINT(WINDOW_DIMENSION_BASE_DILATION):
			w.base_dilation = (int64_t)f.value;
			break;
		}
	return w;
}

static bool is_size(int64_t size)
{
	return size > 0 && size < INT64_C(1) << 30;
}

static bool is_sane(const struct hlo_window *w, int64_t input, int64_t output)
{
	return is_size(input) && is_size(output) && is_size(w->size) && is_size(w->stride) &&
		is_size(w->window_dilation) && is_size(w->base_dilation) &&
		(!w->padding_low || is_size(w->padding_low) || is_size(-w->padding_low));
}

/* At one place of the window, how many outputs read the input. */
static int64_t count_outputs(const struct hlo_window *w, int64_t place, int64_t input,
	int64_t output)
{
	int64_t from = place * w->window_dilation - w->padding_low;
	int64_t last = (input - 1) * w->base_dilation, n = 0, first, end;

	if (w->base_dilation == 1) {
		first = from >= 0 ? 0 : (-from + w->stride - 1) / w->stride;
		end = last < from ? 0 : (last - from) / w->stride + 1;
		if (end > output)
			end = output;
		return end > first ? end - first : 0;
	}
	for (int64_t o = 0; o < output; o++) {
		int64_t at = from + o * w->stride;

		n += at >= 0 && at <= last && at % w->base_dilation == 0;
	}
	return n;
}

int64_t hlo_window_count_pairs(const struct hlo_window *w, int64_t input, int64_t output,
	int64_t *budget)
{
	int64_t n = 0, work;

	if (!is_sane(w, input, output))
		return -1;
	if (w->size == 1 && w->stride == 1 && !w->padding_low && w->base_dilation == 1)
		return input < output ? input : output;
	work = w->base_dilation == 1 ? w->size : hlo_product(w->size, output);
	if (work > *budget)
		return -1;
	*budget -= work;
	for (int64_t place = 0; place < w->size; place++)
		n += count_outputs(w, place, input, output);
	return n;
}
