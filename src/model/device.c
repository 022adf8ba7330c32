#include "model/device.h"

#include "base/ascii.h"

const struct device_kind_info device_kinds[N_DEVICE_KINDS] = {
#define X(id, name, word, accelerator_time, is_accelerator) \
	[DEVICE_KIND_##id] = {name, word, accelerator_time, is_accelerator},
	DEVICE_KINDS(X)
#undef X
};

void device_lower(struct buf *b, struct span name)
{
	b->n = 0;
	buf_span(b, name);
	for (size_t i = 0; i < b->n; i++)
		if (b->at[i] >= 'A' && b->at[i] <= 'Z')
			b->at[i] = (char)(b->at[i] - 'A' + 'a');
}

static bool cut_tail(struct span *s, struct span tail)
{
	if (s->n < tail.n || memcmp(s->at + s->n - tail.n, tail.at, tail.n) != 0)
		return false;
	s->n -= tail.n;
	return true;
}

/* .*\/(device:gpu|gpu|device:cpu|cpu):\d+ */
static bool is_canonical(struct span s)
{
	size_t digits = ascii_trailing_digits(s);

	if (s.n && memchr(s.at, '\n', s.n))
		return false;
	s.n -= digits;
	if (!digits || !cut_tail(&s, SPAN(":")))
		return false;
	if (!cut_tail(&s, SPAN("gpu")) && !cut_tail(&s, SPAN("cpu")))
		return false;
	cut_tail(&s, SPAN("device:"));
	return cut_tail(&s, SPAN("/"));
}

unsigned device_get_properties(struct span lower)
{
	static const struct {
		const char *word;
		unsigned property;
	} words[] = {
		{"stream:all", DEVICE_STREAM_ALL},
		{"gpu", DEVICE_ACCELERATOR},
		{"cpu", DEVICE_CPU},
		{"stream", DEVICE_STREAM},
	};
	unsigned properties = is_canonical(lower) ? DEVICE_CANONICAL : 0;

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (span_contains(lower, span_of(words[i].word)))
			properties |= words[i].property;
	return properties;
}

enum device_kind device_get_kind(struct span name)
{
	unsigned kind = 0;

	/* The word of the last line is empty: every name contains it. */
	while (!span_contains(name, span_of(device_kinds[kind].word)))
		kind++;
	return kind;
}

/* "/host:vm" of "/host:vm/device:gpu:0", as traces name their devices. */
static struct span get_host(struct span name)
{
	size_t device = span_find(name, SPAN("/device:"));

	if (device == name.n || !span_starts(name, SPAN("/host:")))
		return (struct span){"", 0};
	return (struct span){name.at, device};
}

struct span device_get_task(struct span name)
{
	struct span key = SPAN("/task:");
	size_t at = span_find(name, key), end = at + key.n;

	if (at == name.n)
		return get_host(name);
	end += ascii_leading_digits(span_from(name, end));
	return (struct span){name.at, end};
}

struct span device_get_hardware(struct span name)
{
	static const char *const words[] = {"gpu:", "tpu:", "cpu:"};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		struct span word = span_of(words[i]);
		size_t at = span_find(name, word);

		if (at < name.n)
			return (struct span){name.at + at,
				word.n + ascii_leading_digits(span_from(name, at + word.n))};
	}
	return name;
}

struct span device_get_job(struct span task)
{
	struct span key = SPAN("/job:");
	size_t at = span_find(task, key);
	const char *slash;

	if (at == task.n)
		return (struct span){"", 0};
	task.at += at + key.n;
	task.n -= at + key.n;
	slash = memchr(task.at, '/', task.n);
	return (struct span){task.at, slash ? (size_t)(slash - task.at) : task.n};
}

void device_put_task(struct buf *b, struct span task)
{
	struct span replica = SPAN("/replica:0/");
	size_t at = span_find(task, replica);

	if (!task.n) {
		buf_text(b, "this machine");
	} else if (at == task.n) {
		buf_span(b, task);
	} else {
		buf_put(b, task.at, at);
		buf_put(b, task.at + at + replica.n - 1, task.n - at - replica.n + 1);
	}
}

void device_host(struct buf *b, struct span lower)
{
	b->n = 0;
	for (size_t i = 0; i < lower.n;) {
		size_t end = i + 4;

		if (lower.n - i > 4 && memcmp(lower.at + i, "gpu:", 4) == 0 &&
			ascii_is_digit(lower.at[end])) {
			while (end < lower.n && ascii_is_digit(lower.at[end]))
				end++;
			buf_text(b, "cpu:0");
			i = end;
		} else {
			buf_char(b, lower.at[i++]);
		}
	}
}

/* ---- the table ----------------------------------------------------------- */

void devices_clear(struct devices *d)
{
	strings_clear(&d->names);
	strings_clear(&d->task_names);
	vec_clear(&d->at);
	vec_clear(&d->tasks);
}

/* Entries may be missing for names whose addition failed before. */
static uint32_t add_task(struct devices *d, struct span name)
{
	uint32_t id = NONE;

	if (strings_add(&d->task_names, SPAN("")) == 0)
		id = strings_add(&d->task_names, name);

	while (id != NONE && d->tasks.n <= id) {
		name = strings_get(&d->task_names, (uint32_t)d->tasks.n);
		if (!vec_push(&d->tasks, ((struct device_task){name, device_get_job(name)})))
			return NONE;
	}
	return id;
}

uint32_t devices_add(struct devices *d, struct span name)
{
	uint32_t id = strings_add(&d->names, name), task;

	while (id != NONE && d->at.n <= id) {
		name = strings_get(&d->names, (uint32_t)d->at.n);
		task = add_task(d, device_get_task(name));
		if (task == NONE ||
			!vec_push(&d->at,
				((struct device){name, device_get_kind(name),
					device_get_properties(name), task})))
			return NONE;
	}
	return id;
}

uint32_t devices_find(const struct devices *d, struct span name)
{
	return strings_find(&d->names, name);
}
