/* Views as bytes, each format by its writer (query/format_list.h). */
#include "ask/view.h"

#include "write/answer.h"
#include "write/writer.h"

/* What a writer ran into, a damaged tensor for one. */
static enum tfprof_status failure_of(struct query *q, struct tfprof_error *err)
{
	if (q->failed != TFPROF_OK) {
		if (err)
			*err = q->error;
		return q->failed;
	}
	return query_check_cancelled(q, err);
}

static enum tfprof_status write_rows(struct answer *a, enum format format, struct sink *out,
	struct tfprof_error *err)
{
	const struct writer *writer = writer_get(format);
	struct view_rows *rows = a->view;
	struct query *q = &rows->query;
	struct writing w = {a, q, &rows->columns, out, &a->said};
	enum tfprof_status status = view_need_metrics(rows, writer->metrics, err);

	if (status == TFPROF_OK && format == FORMAT_MESSAGE && q->tree->first_node)
		status = rows->asked.get_names(rows->asked.profile, &q->by_name, err);
	if (status != TFPROF_OK)
		return status;
	q->failed = TFPROF_OK;
	status = writer->write(&w, err);
	return status == TFPROF_OK ? failure_of(q, err) : status;
}

/* The report of a table with all rows, or the other way round. */
static enum tfprof_status write_other_rows(struct answer *a, enum format format, struct sink *out,
	struct tfprof_error *err)
{
	struct query whole = a->view->query;
	struct columns columns = a->view->columns;
	enum tfprof_status status;

	view_set_extent(a->view, format);
	a->view->columns = (struct columns){0};
	status = view_vary(a->view, err);
	if (status == TFPROF_OK)
		status = write_rows(a, format, out, err);
	view_restore(a->view, &whole);
	columns_clear(&a->view->columns);
	a->view->columns = columns;
	return status;
}

bool view_write(struct answer *a, enum format format, struct sink *out, enum tfprof_status *status,
	struct tfprof_error *err)
{
	if (!a->view)
		return false;
	*status = view_has_extent(a->view, format) ? write_rows(a, format, out, err)
						   : write_other_rows(a, format, out, err);
	return true;
}
