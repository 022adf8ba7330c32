/* The rows of a view: those of a query, and the columns made of them so far. They are made and
 * written on request, so they need the profile; what is written of them in a format may show
 * more or fewer rows than were found first. */
#ifndef TFPROF_ASK_VIEW_H
#define TFPROF_ASK_VIEW_H

#include "ask/question.h"
#include "query/columns.h"

struct view_rows {
	struct asked asked;
	struct query query;
	struct columns columns;
};

void view_rows_free(struct view_rows *rows);

/* Text reports need no edges, and most need no shapes. Op and scope view look no node up. */
enum question_state view_state(const struct question *question, const struct tfprof_options *o,
	enum format format);

/* What must be known to read these. */
void view_note_peaks(struct answer *a, const struct model *m);
/* Whether it shows what nodes hold of the peaks of compiled programs. */
bool view_needs_peaks(const struct question *question, const struct tfprof_options *o);

/* What the query shows for a format: text is cut at max_depth and omits scopes that are not
 * accounted. In other formats, these options must be set to matter. */
void view_set_extent(struct view_rows *rows, enum format format);
/* Whether the rows found are those of a format. */
bool view_has_extent(const struct view_rows *rows, enum format format);

/* Runs the query again if it lacks some of these metrics. */
enum tfprof_status view_need_metrics(struct view_rows *rows, unsigned metrics,
	struct tfprof_error *err);

/* Runs the query again in memory of its own, with what the caller has changed. The
 * caller keeps a copy of the one before, to which view_restore() returns in any case. */
enum tfprof_status view_vary(struct view_rows *rows, struct tfprof_error *err);
void view_restore(struct view_rows *rows, const struct query *whole);

/* Makes columns of all rows, unless they exist. */
enum tfprof_status view_need_columns(struct view_rows *rows, const enum column_id *ids, size_t n,
	struct tfprof_error *err);
bool view_has_columns(const struct view_rows *rows, const enum column_id *ids, size_t n);
/* Finds the row of each node, unless it is known. */
enum tfprof_status view_map_nodes(struct view_rows *rows, struct tfprof_error *err);

/* Notes about a query that has run, whose view the caller holds. What TensorFlow's profiler
 * would not say is not said where it is imitated (options that came as a message). */
void view_note(struct answer *a, struct query *q);

#endif
