#include "load/xplane/device_facts.h"

/* Dense 16-bit float operations per cycle and core, by compute capability; what AMD calls 9.4 and
 * 9.5 is gfx942 and gfx950. */
static const struct {
	bool is_amd;
	uint64_t major, minor;
	double flops;
} sheets[] = {
	{true, 9, 4, 2048},
	{true, 9, 5, 4096},
	{false, 7, 0, 1024},
	{false, 7, 5, 1024},
	{false, 8, 0, 2048},
	{false, 8, 6, 1024},
	{false, 8, 9, 1024},
	{false, 9, 0, 4096},
};

/* Products by compute capability, cores, and memory of at least so many GB. The first that fits
 * counts. */
static const struct {
	bool is_amd;
	uint64_t major, minor, cores, gigabytes;
	const char *name;
} products[] = {
	{true, 9, 4, 304, 250, "AMD MI325X (gfx942)"},
	{true, 9, 4, 304, 0, "AMD MI300X (gfx942)"},
	{true, 9, 4, 228, 0, "AMD MI300A (gfx942)"},
	{true, 9, 5, 256, 0, "AMD MI350 series (gfx950)"},
	{true, 9, 0, 110, 0, "AMD MI250X (gfx90a)"},
	{false, 6, 0, 56, 0, "NVIDIA P100"},
	{false, 7, 0, 80, 0, "NVIDIA V100"},
	{false, 7, 5, 40, 0, "NVIDIA T4"},
	{false, 8, 0, 108, 0, "NVIDIA A100"},
	{false, 8, 6, 80, 0, "NVIDIA A10G"},
	{false, 8, 9, 58, 0, "NVIDIA L4"},
	{false, 8, 9, 142, 0, "NVIDIA L40S"},
	{false, 9, 0, 114, 0, "NVIDIA H100 PCIe"},
	{false, 9, 0, 132, 130, "NVIDIA H200"},
	{false, 9, 0, 132, 0, "NVIDIA H100"},
	{false, 10, 0, 148, 0, "NVIDIA B200"},
};

static bool is_amd(const struct plane *p)
{
	return span_equal(xstats_text(&p->stats, STAT_DEVICE_VENDOR), SPAN("AMD"));
}

/* Of a GPU; a number that cannot be one is none. */
static double positive(double value)
{
	return value > 0 && value < 1e18 ? value : 0;
}

struct accelerator_facts device_read_facts(const struct plane *p)
{
	const struct xstats *s = &p->stats;
	uint64_t major = xstats_number(s, STAT_COMPUTE_MAJOR);
	uint64_t minor = xstats_number(s, STAT_COMPUTE_MINOR);
	struct accelerator_facts facts = {.peak_flops = positive(
						  1e12 * xstats_real(s, STAT_PEAK_TERAFLOPS)),
		.peak_bandwidth = positive(1e9 * xstats_real(s, STAT_PEAK_HBM_GIGABYTES))};

	if (p->kind != PLANE_GPU)
		return facts;
	facts.peak_bandwidth = positive(xstats_real(s, STAT_MEMORY_BANDWIDTH));
	facts.is_doubled = is_amd(p) && major == 9 && (minor == 4 || minor == 5);
	if (facts.is_doubled)
		facts.peak_bandwidth *= 2;
	for (size_t i = 0; i < sizeof(sheets) / sizeof(*sheets); i++)
		if (sheets[i].is_amd == is_amd(p) && sheets[i].major == major &&
			sheets[i].minor == minor)
			facts.sheet_flops = positive(sheets[i].flops * 1e3 *
				xstats_real(s, STAT_CLOCK_RATE) * xstats_real(s, STAT_CORE_COUNT));
	return facts;
}

static void put_tpu(struct buf *b, struct span type)
{
	bool is_lite = span_ends(type, SPAN(" Lite")) || span_ends(type, SPAN(" lite"));

	/* What is recorded as "TPU v6 Lite" is sold as v6e, "TPU v5" as v5p. */
	buf_span(b, is_lite ? (struct span){type.at, type.n - 5} : type);
	if (is_lite)
		buf_char(b, 'e');
	else if (span_equal(type, SPAN("TPU v5")))
		buf_char(b, 'p');
}

void device_put_product(struct buf *b, const struct plane *p)
{
	const struct xstats *s = &p->stats;
	uint64_t major = xstats_number(s, STAT_COMPUTE_MAJOR);
	uint64_t minor = xstats_number(s, STAT_COMPUTE_MINOR);
	struct span vendor = xstats_text(s, STAT_DEVICE_VENDOR);

	if (p->kind == PLANE_TPU) {
		put_tpu(b, xstats_text(s, STAT_DEVICE_TYPE));
		return;
	}
	if (!(s->has & STAT_BIT(COMPUTE_MAJOR)) || major > 99 || minor > 99)
		return;
	for (size_t i = 0; i < sizeof(products) / sizeof(*products); i++)
		if (products[i].is_amd == is_amd(p) && products[i].major == major &&
			products[i].minor == minor &&
			products[i].cores == xstats_number(s, STAT_CORE_COUNT) &&
			xstats_number(s, STAT_MEMORY_SIZE) >= products[i].gigabytes * 1000000000) {
			buf_text(b, products[i].name);
			return;
		}
	buf_span(b, vendor.n && vendor.n < 40 ? vendor : SPAN("NVIDIA"));
	buf_printf(b, " GPU (compute capability %u.%u)", (unsigned)major, (unsigned)minor);
}
