#include "write/advice.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/visible.h"
#include "proto/fields.h"
#include "proto/wire_write.h"
#include "write/answer.h"

/* ---- AdviceProto ---------------------------------------------------------------- */

static void put_message(const struct advice *a, struct buf *out)
{
	for (size_t i = 0; i < a->verdicts.n; i++) {
		const struct verdict *v = &a->verdicts.at[i];
		size_t entry = wire_open(out, ADVICE_CHECKERS), value;

		wire_put_bytes(out, MAP_KEY, span_of(v->checker->info.name));
		value = wire_open(out, MAP_VALUE);
		for (size_t k = 0; k < v->findings.n; k++)
			wire_put_bytes(out, ADVICE_CHECKER_REPORTS, v->findings.at[k]->text);
		wire_close(out, value);
		wire_close(out, entry);
	}
}

static enum tfprof_status write_message(const struct advice *a, struct sink *out,
	struct tfprof_error *err)
{
	struct buf message = {0};
	enum tfprof_status status;

	put_message(a, &message);
	status = message.failed ? error_no_memory(err) : TFPROF_OK;
	sink_span(out, buf_get(&message));
	buf_clear(&message);
	return status;
}

bool advice_write(struct answer *a, enum format format, struct sink *out,
	enum tfprof_status *status, struct tfprof_error *err)
{
	const struct advice_detail *d = a->detail;

	if (format == FORMAT_MESSAGE)
		*status = write_message(&d->advice, out, err);
	return format == FORMAT_MESSAGE;
}

/* ---- text ----------------------------------------------------------------------- */

/* Names are shown as in reports of views. */
void advice_text(const struct answer *a, struct sink *out)
{
	const struct advice_detail *d = a->detail;
	struct buf text = {0}, shown = {0};
	struct sink plain;

	if (d->options->tolerant) {
		advice_write_text(&d->advice, out);
		return;
	}
	if (sink_open_buf(&plain, &text, SINK_PLAIN, NULL) != TFPROF_OK) {
		sink_fail(out, ENOMEM);
		return;
	}
	advice_write_text(&d->advice, &plain);
	if (sink_commit(&plain, NULL) != TFPROF_OK)
		sink_fail(out, ENOMEM);
	visible_put_slow(&shown, buf_get(&text), true);
	sink_span(out, buf_get(&shown));
	if (shown.failed)
		sink_fail(out, ENOMEM);
	buf_clear(&text);
	buf_clear(&shown);
}

/* ---- JSON ----------------------------------------------------------------------- */

static void put_span(struct json *j, const char *key, struct span text)
{
	if (text.n)
		json_put_string(j, key, text);
}

static void put_nonzero(struct json *j, const char *key, int64_t value)
{
	if (value)
		json_put_int(j, key, value);
}

static void put_place(struct json *j, const struct place *p)
{
	json_open_object(j);
	put_span(j, "device", p->device);
	put_span(j, "node", p->node);
	put_span(j, "op", p->op);
	put_span(j, "line", p->line);
	put_nonzero(j, "micros", p->micros);
	put_nonzero(j, "bytes", p->bytes);
	json_close_object(j);
}

static void put_stake(struct json *j, const struct finding *f)
{
	json_key(j, "stake");
	json_open_object(j);
	put_nonzero(j, "micros", f->stake_us);
	put_nonzero(j, "bytes", f->stake_bytes);
	if (f->stake_share > 0)
		json_put_double(j, "share", f->stake_share);
	json_close_object(j);
}

static void put_finding(struct json *j, const struct finding *f)
{
	json_line(j);
	json_open_object(j);
	json_put_text(j, "what", f->what);
	json_put_text(j, "level", advice_level_name(f->level));
	json_put_text(j, "confidence", advice_confidence_name(f->confidence));
	json_put_string(j, "text", f->text);
	if (f->remedy)
		json_put_text(j, "remedy", f->remedy);
	if (f->step != NO_STEP)
		json_put_int(j, "step", f->step);
	put_span(j, "from", f->from);
	put_span(j, "to", f->to);
	put_stake(j, f);
	json_key(j, "where");
	json_open_array(j);
	for (size_t i = 0; i < f->places.n; i++)
		put_place(j, &f->places.at[i]);
	json_close_array(j);
	json_key(j, "figures");
	json_open_object(j);
	for (size_t i = 0; i < f->figures.n; i++)
		json_put_double(j, f->figures.at[i].name, f->figures.at[i].value);
	json_close_object(j);
	json_close_object(j);
}

static void put_option(struct json *j, const struct tfprof_checker_option_info *info,
	const char *value)
{
	double number = strtod(value, NULL);

	if (!advice_option_is_number(info))
		json_put_text(j, info->name, value);
	else if (fabs(number) < 1e15 && floor(number) == number)
		json_put_int(j, info->name, (int64_t)number);
	else
		json_put_double(j, info->name, number);
}

static void put_verdict(struct json *j, const struct verdict *v, const struct tfprof_options *o)
{
	const struct tfprof_checker_option_info *options = v->checker->info.options;
	size_t id = 0;

	while (checker_get(id) != v->checker)
		id++;
	json_line(j);
	json_open_object(j);
	json_put_text(j, "name", v->checker->info.name);
	json_put_bool(j, "skipped", v->skipped);
	if (v->reason)
		json_put_text(j, "reason", v->reason);
	put_span(j, "remark", v->remark);
	json_key(j, "options");
	json_open_object(j);
	for (size_t i = 0; options[i].name; i++)
		put_option(j, &options[i], advice_options_value(o, id, i));
	json_close_object(j);
	json_key(j, "findings");
	json_open_array(j);
	for (size_t i = 0; i < v->findings.n; i++)
		put_finding(j, v->findings.at[i]);
	json_close_array(j);
	json_close_object(j);
}

void advice_members(const struct answer *a, struct json *j)
{
	const struct advice_detail *d = a->detail;

	json_put_text(j, "tfprof", tfprof_get_version());
	json_put_text(j, "level", advice_level_name(advice_level(&d->advice)));
	json_key(j, "checkers");
	json_open_array(j);
	for (size_t i = 0; i < d->advice.verdicts.n; i++)
		put_verdict(j, &d->advice.verdicts.at[i], d->options);
	json_close_array(j);
}
