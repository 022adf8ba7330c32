#include "advise/task.h"

struct span task_of(struct span device)
{
	struct span key = SPAN("/task:");
	size_t at = span_find(device, key), end = at + key.n;

	if (at == device.n)
		return (struct span){"", 0};
	while (end < device.n && device.at[end] >= '0' && device.at[end] <= '9')
		end++;
	return (struct span){device.at, end};
}

struct span task_job(struct span task)
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

void task_put(struct buf *b, struct span task)
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
