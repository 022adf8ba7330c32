#include "ask/totals.h"

#include "base/spelling.h"

void totals_set(struct totals *t, enum model_total total, int64_t value)
{
	t->value[total] = value;
	t->is_known[total] = true;
}

/* Whether a total is only a lower bound if something was not counted. */
static bool needs_all(enum model_total total)
{
	return total == TOTAL_macs || total == TOTAL_float_ops || total == TOTAL_activation_bytes ||
		total == TOTAL_peak_activation_bytes;
}

static void cannot_tell(struct answer *a)
{
	if (a->verdict == TFPROF_VERDICT_OK)
		a->verdict = TFPROF_VERDICT_UNKNOWN;
}

static void check(const struct totals *t, struct answer *a, const struct limit *limit,
	bool allows_uncounted)
{
	enum model_total total = (enum model_total)limit->word;
	long long value = t->value[total];

	if (!t->is_known[total]) {
		cannot_tell(a);
		answer_note(a, "limit_unknown", "fail_if: %s: cannot tell: %s", limit->text,
			t->lacking);
	} else if (limit_is_exceeded(limit, (double)value)) {
		a->verdict = TFPROF_VERDICT_OVER;
		answer_note(a, "limit_exceeded", "fail_if: %s: it is %lld", limit->text, value);
	} else if (needs_all(total) && t->lacks.n && !allows_uncounted) {
		cannot_tell(a);
		answer_note(a, "limit_unknown",
			"fail_if: %s: cannot tell: it is at least %lld; not counted: %s "
			"(%s accepts that)",
			limit->text, value, buf_get(&t->lacks).at, SWITCH("allow_uncounted"));
	}
}

enum tfprof_status totals_check(struct totals *t, struct answer *a, const struct tfprof_options *o,
	struct tfprof_error *err)
{
	limits list = {0};
	enum tfprof_status status =
		limits_read(&list, &model_limit_rules, o->list[OPT_MODEL_FAIL_IF].at[0], err);

	for (size_t i = 0; status == TFPROF_OK && i < list.n; i++)
		check(t, a, &list.at[i], o->number[OPT_ALLOW_UNCOUNTED]);
	a->failed |= t->lacks.failed;
	limits_clear(&list);
	buf_clear(&t->lacks);
	return status;
}
