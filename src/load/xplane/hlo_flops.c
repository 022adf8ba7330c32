/* Float operations of dots and convolutions: two for each product that is added up.
 * Element-wise operations are not counted. */
#include "hlo/window.h"
#include "load/xplane/hlo_shape.h"

/* Larger counts can only come from a damaged file and become 0. */
#define TOO_MANY (INT64_C(1) << 62)

struct counter {
	const struct hlo_module *module;
	struct decoder d;
	hlo_ids operands, ids;
	struct hlo_shape lhs, rhs, out;
	VEC(struct span) windows;
};

static bool multiply(int64_t *product, int64_t by)
{
	return by > 0 && !__builtin_mul_overflow(*product, by, product) && *product < TOO_MANY;
}

/* Takes the first array of a shape. */
struct taken {
	struct decoder *d;
	struct hlo_shape *shape;
};

static bool take_first(void *context, size_t i, const struct hlo_shape *shape)
{
	struct taken *taken = context;
	dims_vec *out = &taken->shape->dims;

	out->n = 0;
	for (size_t k = 0; k < shape->dims.n; k++)
		decoder_alloc(taken->d, vec_push(out, shape->dims.at[k]));
	return false;
}

static void read_first(struct counter *c, const struct hlo_instruction *i, struct hlo_shape *shape)
{
	struct taken taken = {&c->d, shape};

	shape->dims.n = 0;
	hlo_shape_read(&c->d, hlo_get_shape(&c->d, i), take_first, &taken);
}

/* Reads the shape of an operand. */
static bool read_operand(struct counter *c, size_t i, struct hlo_shape *shape)
{
	uint32_t operand = i < c->operands.n ? hlo_find_id(c->module, c->operands.at[i]) : NONE;

	if (operand == NONE)
		return false;
	read_first(c, &c->module->instructions.at[operand], shape);
	return true;
}

static bool read_shapes(struct counter *c, const struct hlo_instruction *i)
{
	hlo_read_ids(&c->d, i->message, HLO_INSTRUCTION_OPERAND_IDS, &c->operands);
	read_first(c, i, &c->out);
	return read_operand(c, 0, &c->lhs) && read_operand(c, 1, &c->rhs);
}

static struct span find_message(struct counter *c, const struct hlo_instruction *i, uint32_t field)
{
	struct wire_reader r = wire_reader(i->message);
	struct span message = {"", 0};
	struct wire_field f;

	while (decoder_find(&c->d, &r, WIRE_LEN(field), &f))
		message = f.bytes;
	return message;
}

static int64_t count_dot(struct counter *c, const struct hlo_instruction *i)
{
	struct span numbers = find_message(c, i, HLO_INSTRUCTION_DOT_DIMENSION_NUMBERS);
	int64_t n = 2;

	if (!read_shapes(c, i))
		return 0;
	hlo_read_ids(&c->d, numbers, DOT_DIMENSION_NUMBERS_LHS_CONTRACTING_DIMENSIONS, &c->ids);
	for (size_t k = 0; k < c->out.dims.n; k++)
		if (!multiply(&n, c->out.dims.at[k]))
			return 0;
	for (size_t k = 0; k < c->ids.n; k++)
		if (c->ids.at[k] >= c->lhs.dims.n || !multiply(&n, c->lhs.dims.at[c->ids.at[k]]))
			return 0;
	return n;
}

/* ---- convolutions -------------------------------------------------------- */

static bool is_sane(const struct hlo_window *w, int64_t input, int64_t output)
{
	enum { MOST = 1 << 24 };

	return input > 0 && input < MOST && output > 0 && output < MOST && w->size > 0 &&
		w->size < MOST && w->stride > 0 && w->stride < MOST && w->window_dilation > 0 &&
		w->window_dilation < MOST && w->base_dilation > 0 && w->base_dilation < MOST &&
		w->padding_low > -MOST && w->padding_low < MOST;
}

/* At one place of the kernel, how many outputs read the input and not padding or a gap of its
 * dilation. */
static int64_t outputs_reading_input(const struct hlo_window *w, int64_t place, int64_t input,
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

/* Pairs of an output and a place of the kernel along a dimension; 0 if there are too many to
 * count. */
static int64_t count_pairs(const struct hlo_window *w, int64_t input, int64_t output)
{
	enum { ENOUGH = 1 << 22 };
	int64_t n = 0;

	if (!is_sane(w, input, output) || w->size > ENOUGH / (w->base_dilation == 1 ? 1 : output))
		return 0;
	for (int64_t place = 0; place < w->size; place++)
		n += outputs_reading_input(w, place, input, output);
	return n;
}

static int64_t dim_at(const struct hlo_shape *shape, uint64_t i)
{
	return i < shape->dims.n ? shape->dims.at[i] : 0;
}

struct convolution {
	uint64_t kernel_input, output_batch, output_feature;
};

static struct convolution read_convolution(struct decoder *d, struct span message)
{
	struct wire_reader r = wire_reader(message);
	struct convolution c = {0};
	struct wire_field f;

	while (decoder_next(d, &r, &f))
		switch (f.tag) {
		case WIRE_VARINT(CONVOLUTION_DIMENSION_NUMBERS_KERNEL_INPUT_FEATURE_DIMENSION):
			c.kernel_input = f.value;
			break;
		case WIRE_VARINT(CONVOLUTION_DIMENSION_NUMBERS_OUTPUT_BATCH_DIMENSION):
			c.output_batch = f.value;
			break;
		case WIRE_VARINT(CONVOLUTION_DIMENSION_NUMBERS_OUTPUT_FEATURE_DIMENSION):
			c.output_feature = f.value;
			break;
		}
	return c;
}

static bool read_windows(struct counter *c, const struct hlo_instruction *i)
{
	struct wire_reader r = wire_reader(find_message(c, i, HLO_INSTRUCTION_WINDOW));
	struct wire_field f;

	c->windows.n = 0;
	while (!c->d.failed && decoder_find(&c->d, &r, WIRE_LEN(WINDOW_DIMENSIONS), &f))
		decoder_alloc(&c->d, vec_push(&c->windows, f.bytes));
	return !c->d.failed;
}

static int64_t count_convolution(struct counter *c, const struct hlo_instruction *i)
{
	struct span message = find_message(c, i, HLO_INSTRUCTION_CONVOLUTION_DIMENSION_NUMBERS);
	struct convolution numbers = read_convolution(&c->d, message);
	hlo_ids outputs = {0};
	int64_t n = 2;
	bool ok = read_shapes(c, i) && read_windows(c, i) &&
		multiply(&n, dim_at(&c->out, numbers.output_batch)) &&
		multiply(&n, dim_at(&c->out, numbers.output_feature)) &&
		multiply(&n, dim_at(&c->rhs, numbers.kernel_input));

	hlo_read_ids(&c->d, message, CONVOLUTION_DIMENSION_NUMBERS_INPUT_SPATIAL_DIMENSIONS,
		&c->ids);
	hlo_read_ids(&c->d, message, CONVOLUTION_DIMENSION_NUMBERS_OUTPUT_SPATIAL_DIMENSIONS,
		&outputs);
	for (size_t k = 0; ok && k < c->windows.n; k++) {
		struct hlo_window w = hlo_window_read(&c->d, c->windows.at[k]);

		ok = k < c->ids.n && k < outputs.n &&
			multiply(&n,
				count_pairs(&w, dim_at(&c->lhs, c->ids.at[k]),
					dim_at(&c->out, outputs.at[k])));
	}
	vec_clear(&outputs);
	return ok ? n : 0;
}

/* ---- instructions and fusions -------------------------------------------- */

typedef int64_t count_fn(struct counter *c, const struct hlo_instruction *i);

/* NULL for opcodes that are not counted. */
static count_fn *find_rule(struct span opcode)
{
	static const struct {
		const char *opcode;
		count_fn *count;
	} rules[] = {
		{"dot", count_dot},
		{"convolution", count_convolution},
	};

	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		if (span_equal(opcode, span_of(rules[i].opcode)))
			return rules[i].count;
	return NULL;
}

bool hlo_has_float_ops(const struct hlo_instruction *i)
{
	return find_rule(i->opcode);
}

static int64_t count_one(struct counter *c, const struct hlo_instruction *i)
{
	count_fn *count = find_rule(i->opcode);

	return count ? count(c, i) : 0;
}

static int64_t add_up(int64_t a, int64_t b)
{
	return a > TOO_MANY - b ? TOO_MANY : a + b;
}

/* Counts what is inside, including nested fusions. */
static int64_t count_fusion(struct counter *c, const struct hlo_instruction *fusion)
{
	enum { MOST = 64 };
	const struct hlo_module *m = c->module;
	uint32_t seen[MOST];
	size_t n = 0;
	int64_t sum = 0;

	hlo_read_ids(&c->d, fusion->message, HLO_INSTRUCTION_CALLED_COMPUTATION_IDS, &c->ids);
	for (size_t i = 0; i < c->ids.n && n < MOST; i++)
		if ((seen[n] = hlo_find_computation(m, c->ids.at[i])) != NONE)
			n++;
	for (size_t k = 0; k < n; k++) {
		const struct hlo_computation *inside = &m->computations.at[seen[k]];

		for (uint32_t i = inside->first; i < inside->first + inside->n; i++) {
			const struct hlo_instruction *in = &m->instructions.at[i];

			sum = add_up(sum, count_one(c, in));
			if (!span_equal(in->opcode, SPAN("fusion")) || n == MOST)
				continue;
			hlo_read_ids(&c->d, in->message, HLO_INSTRUCTION_CALLED_COMPUTATION_IDS,
				&c->ids);
			if (c->ids.n && (seen[n] = hlo_find_computation(m, c->ids.at[0])) != NONE)
				n++;
		}
	}
	return sum;
}

int64_t hlo_float_ops(const struct hlo_module *m, uint32_t instruction, bool *ok)
{
	const struct hlo_instruction *i = &m->instructions.at[instruction];
	struct counter c = {.module = m};
	int64_t n = span_equal(i->opcode, SPAN("fusion")) ? count_fusion(&c, i) : count_one(&c, i);

	/* A damaged instruction has no count. */
	*ok &= !(c.d.failed && !c.d.bad);
	if (c.d.failed)
		n = 0;
	vec_clear(&c.operands);
	vec_clear(&c.ids);
	vec_clear(&c.lhs.dims);
	vec_clear(&c.rhs.dims);
	vec_clear(&c.out.dims);
	vec_clear(&c.windows);
	return n;
}
