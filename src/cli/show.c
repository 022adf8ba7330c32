#include "show.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "out.h"
#include "pager.h"
#include "terminal.h"

#define DIM "\033[2m"
#define BOLD "\033[1m"
#define PLAIN "\033[0m"

static const char *find(const char *text, size_t length, const char *what)
{
	return memmem(text, length, what, strlen(what));
}

/* Makes the explanations dim and the header bold. Returns the size of that head in the
 * report; 0 if it has none. */
static size_t colour_head(struct buf *out, const char *text, size_t length)
{
	static const char doc_mark[] = "Doc:\n", profile_mark[] = "\nProfile:\n";
	const char *end = text + length, *doc, *profile, *header, *rest;

	/* The head is short: do not search a report of a million lines. */
	doc = find(text, length < 4096 ? length : 4096, doc_mark);
	if (!doc || (doc > text && doc[-1] != '\n'))
		return 0;
	profile = find(doc, end - doc < 16384 ? (size_t)(end - doc) : 16384, profile_mark);
	if (!profile)
		return 0;
	header = profile + sizeof(profile_mark) - 1;
	rest = memchr(header, '\n', (size_t)(end - header));
	if (!rest)
		rest = end;
	buf_put(out, text, (size_t)(doc - text));
	buf_text(out, DIM);
	buf_put(out, doc, (size_t)(header - doc));
	buf_text(out, PLAIN);
	if (strncmp(header, "node name", 9) != 0)
		return out->failed ? 0 : (size_t)(header - text);
	buf_text(out, BOLD);
	buf_put(out, header, (size_t)(rest - header));
	buf_text(out, PLAIN);
	return out->failed ? 0 : (size_t)(rest - text);
}

static enum tfprof_status write_pieces(const struct piece *pieces, struct tfprof_error *err)
{
	enum tfprof_status status = out_write(pieces[0].at, pieces[0].n, err);

	return status == TFPROF_OK ? out_write(pieces[1].at, pieces[1].n, err) : status;
}

enum tfprof_status show_report(const char *text, size_t length, bool may_page,
	struct tfprof_error *err)
{
	struct piece pieces[2] = {{text, length}, {"", 0}};
	bool pages = may_page && isatty(STDOUT_FILENO) && pager_is_needed(pieces, 1);
	struct buf head = {0};
	enum tfprof_status status = TFPROF_OK;

	if (terminal_has_colour(STDOUT_FILENO) && (!pages || pager_shows_colour())) {
		size_t n = colour_head(&head, text, length);

		if (n) {
			pieces[0] = (struct piece){head.at, head.n};
			pieces[1] = (struct piece){text + n, length - n};
		}
	}
	if (!pages || !pager_show(pieces, 2))
		status = write_pieces(pieces, err);
	buf_clear(&head);
	return status;
}

/* ---- results ------------------------------------------------------------------- */

struct shown {
	const tfprof_result *result;
	const char *notes;
	bool has_begun;
	enum tfprof_status status; /* of writing */
	struct tfprof_error error;
};

static void begin(struct shown *s)
{
	s->has_begun = true;
	if (!s->notes)
		return;
	fputs(s->notes, stderr);
	fputs(tfprof_result_get_notes(s->result, NULL), stderr);
}

static int show_piece(void *context, const void *bytes, size_t n)
{
	struct shown *s = context;

	if (s->has_begun) {
		s->status = out_write(bytes, n, &s->error);
	} else {
		begin(s);
		s->status = show_report(bytes, n, false, &s->error);
	}
	return out_get_failure();
}

unsigned show_flags(void)
{
	return (isatty(STDOUT_FILENO) ? TFPROF_TERMINAL : 0) |
		(terminal_has_colour(STDOUT_FILENO) ? TFPROF_COLOUR : 0);
}

enum tfprof_status show_result(tfprof_result *result, const char *notes, const volatile int *cancel,
	struct tfprof_error *err)
{
	struct shown s = {.result = result, .notes = notes};
	enum tfprof_status status =
		tfprof_result_output(result, show_flags(), cancel, show_piece, &s, err);

	if (status == TFPROF_OK && !s.has_begun)
		begin(&s);
	if (s.status == TFPROF_OK)
		return status;
	*err = s.error;
	return s.status;
}
