#include "load/xplane/event_name.h"

#include "base/utf8.h"
#include "load/anatomy/names.h"

static const struct {
	struct span start;
	enum event_kind kind;
} beginnings[] = {
	{{"Iterator:", 9}, EVENT_DATASET},
	{{"$", 1}, EVENT_PYTHON},
	{{"end: ", 5}, EVENT_END},
	{{"PjitFunction(", 13}, EVENT_PJIT},
	{{"InstantiatedCapturedFunction::", 30}, EVENT_CAPTURED},
};

enum event_kind event_kind_of(struct span name)
{
	static const char *const whole[] = {
#define X(id, text) text,
		EVENT_KINDS(X)
#undef X
	};
	struct op_text op;

	if (!utf8_is_valid(name))
		return EVENT_GARBLED;
	for (unsigned kind = 0; kind < N_EVENT_KINDS; kind++)
		if (whole[kind] && span_equal(name, span_of(whole[kind])))
			return kind;
	for (size_t i = 0; i < sizeof(beginnings) / sizeof(*beginnings); i++)
		if (span_starts(name, beginnings[i].start))
			return beginnings[i].kind;
	if (op_text_parse(name, &op))
		return EVENT_OPERATION;
	return name_is(name, NAME_AWAIT)      ? EVENT_AWAIT
		: name_is(name, NAME_WAITING) ? EVENT_WAIT
		: name_is(name, NAME_DRIVER)  ? EVENT_DRIVER
					      : EVENT_OTHER;
}

/* What is between `start` and the ')' at the end, which may have been cut off. */
static struct span inside(struct span text, struct span start)
{
	size_t end = text.n;

	if (end > start.n && text.at[end - 1] == ')')
		end--;
	return (struct span){text.at + start.n, end - start.n};
}

struct span event_name_get_function(struct span name)
{
	struct span function = inside(name, SPAN("PjitFunction("));

	return span_starts(function, SPAN("jit(")) ? inside(function, SPAN("jit(")) : function;
}
