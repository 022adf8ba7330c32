#include "base/debug.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/visible.h"
#include "base/words.h"

static const char *const names[] = {
#define X(id, name) name,
	DEBUG_TOPICS(X)
#undef X
		NULL};

/* In `topics`, once the setting was read. */
enum { IS_READ = 1 << 16 };

static atomic_uint topics;

unsigned debug_read_topics(const char *setting)
{
	unsigned found = 0;

	for (const char *at = setting ? setting : ""; *at;) {
		struct span word = {at, strcspn(at, ", ")};
		struct tfprof_error err;

		if (word.n && !names[words_find(names, word)]) {
			words_error(&err, "TFPROF_DEBUG", word, names);
			fprintf(stderr, "tfprof: %s\n", err.text);
		} else if (word.n) {
			found |= 1U << words_find(names, word);
		}
		at += word.n + (at[word.n] != '\0');
	}
	return found;
}

bool debug_is_on(enum debug_topic topic)
{
	unsigned now = atomic_load_explicit(&topics, memory_order_relaxed);

	if (!now) {
		now = debug_read_topics(getenv("TFPROF_DEBUG")) | IS_READ;
		atomic_store_explicit(&topics, now, memory_order_relaxed);
	}
	return now & 1U << topic;
}

void debug_print(enum debug_topic topic, const char *format, ...)
{
	char line[1000];
	int start = snprintf(line, sizeof(line), "tfprof %s: ", names[topic]), n;
	va_list arguments;

	va_start(arguments, format);
	n = vsnprintf(line + start, sizeof(line) - (size_t)start, format, arguments);
	va_end(arguments);
	if (n < 0)
		return;
	visible_mask(line, strlen(line));
	fprintf(stderr, "%s\n", line); /* in one go: threads may print at once */
}

double debug_now_ms(void)
{
	struct timespec now = {0};

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}
