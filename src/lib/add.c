/* Adds inputs to a profile, and remembers which files they were. */
#include <sys/stat.h>

#include "base/buf.h"
#include "base/visible.h"
#include "base/words.h"
#include "formats/checkpoint/checkpoint.h"
#include "lib/result.h"
#include "load/directory.h"
#include "load/load.h"
#include "load/recognize.h"
#include "load/xplane/run.h"

/* ---- files ---------------------------------------------------------------- */

static bool remember_input(tfprof_profile *p, const struct tfprof_input *in)
{
	return !in || tfprof_input_is_memory(in) || output_note_input(&p->files, in->path);
}

static bool remember_checkpoint(tfprof_profile *p)
{
	const char *path;

	for (size_t i = 0; (path = checkpoint_get_file(p->model.checkpoint, i)); i++)
		if (!output_note_input(&p->files, path))
			return false;
	return true;
}

static uint64_t file_size(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISDIR(st.st_mode) ? (uint64_t)st.st_size : 0;
}

static uint64_t size_of_checkpoint(const struct checkpoint *c)
{
	const char *path;
	uint64_t n = 0;

	for (size_t i = 0; (path = checkpoint_get_file(c, i)); i++)
		n += file_size(path);
	return n;
}

/* A directory has a file for each host, none of which is to be overwritten either. */
static bool note_traces(tfprof_profile *p, const char *directory, uint64_t *n)
{
	xplane_paths traces = {0};
	bool ok = xplane_list_run(directory, &traces);

	for (size_t i = 0; ok && i < traces.n; i++) {
		*n += file_size(traces.at[i]);
		ok = output_note_input(&p->files, traces.at[i]);
	}
	xplane_free_paths(&traces);
	return ok;
}

/* Makes room to note an input before it is added: then nothing can fail. */
static bool prepare_note(tfprof_profile *p, const struct tfprof_input *in, enum input_kind kind,
	struct profile_input *added)
{
	*added = (struct profile_input){.path = in->path ? span_copy(span_of(in->path)) : NULL};
	if ((!in->path || added->path) && vec_reserve(&p->inputs, 1) &&
		(kind != INPUT_XPLANE || tfprof_input_is_memory(in) || file_size(in->path) ||
			note_traces(p, in->path, &added->n_bytes)))
		return true;
	mem_free(added->path);
	return false;
}

static void note_added(tfprof_profile *p, const struct tfprof_input *in, enum input_kind kind,
	struct profile_input *added)
{
	added->kind = kind;
	if (tfprof_input_is_memory(in))
		added->n_bytes = in->size;
	else if (kind == INPUT_CHECKPOINT)
		added->n_bytes = size_of_checkpoint(p->model.checkpoint);
	else if (!added->n_bytes)
		added->n_bytes = file_size(in->path);
	p->inputs.at[p->inputs.n++] = *added;
}

/* ---- kinds ------------------------------------------------------------------ */

const struct tfprof_input_info *tfprof_input_get_info(size_t i)
{
	return input_get_info(i);
}

int tfprof_input_exists(const char *path)
{
	return input_exists(path);
}

static enum tfprof_status unknown_kind(const char *name, struct tfprof_error *err)
{
	const char *names[N_INPUTS + 1] = {0};

	for (size_t i = 0; i < N_INPUTS; i++)
		names[i] = input_get_info(i)->name;
	return words_error(err, "unknown kind of input", span_of(name), names);
}

/* ---- adding --------------------------------------------------------------- */

/* Locks for writing: what follows is end(), also after a failure. Views are dropped only
 * with results detached from them. */
static enum tfprof_status begin(tfprof_profile *p, const struct tfprof_input *in,
	struct tfprof_error *err)
{
	enum tfprof_status status;

	pthread_rwlock_wrlock(&p->lock);
	status = model_check_sources(&p->model, err);
	if (status == TFPROF_OK && results_exist(p))
		status = model_complete(&p->model, err);
	if (status == TFPROF_OK) {
		results_detach(p);
		profile_drop_views(p);
	}
	return status == TFPROF_OK && !remember_input(p, in) ? error_no_memory(err) : status;
}

static enum tfprof_status end(tfprof_profile *p, enum tfprof_status status,
	struct tfprof_error *err)
{
	struct model *m = &p->model;

	if (m->checkpoint && p->n_marked < m->nodes.n && !model_mark_checkpoint(m, p->n_marked) &&
		status == TFPROF_OK)
		status = error_no_memory(err);
	p->n_marked = m->checkpoint ? m->nodes.n : 0;
	return profile_unlock(p, status, err);
}

/* Takes the place of what the last call had to say. Names of files and nodes are in it. */
static void keep_notes(tfprof_profile *p, struct buf *notes)
{
	struct buf shown = {0};

	mem_free(p->notes);
	visible_put_slow(&shown, buf_get(notes), true);
	p->notes = shown.failed ? notes->at : shown.at;
	buf_clear(shown.failed ? &shown : notes);
}

static void note_choice(struct buf *notes, const char *given, const char *chosen, size_t n)
{
	buf_printf(notes, "%s: read %s", given, chosen);
	if (n > 1)
		buf_printf(notes, ", the newest of %zu", n);
	buf_char(notes, '\n');
}

/* `in` is what to open, found at `given`, the newest of `n` there. */
static enum tfprof_status add(tfprof_profile *p, enum input_kind kind,
	const struct tfprof_input *in, const struct tfprof_input *given, size_t n, int64_t step,
	struct tfprof_error *err)
{
	struct profile_input added = {0};
	struct buf notes = {0};
	enum tfprof_status status = begin(p, in, err);
	const struct checkpoint *before = p->model.checkpoint;

	if (status == TFPROF_OK && !prepare_note(p, in, kind, &added))
		status = error_no_memory(err);
	else if (status == TFPROF_OK) {
		status = load_any(&p->model, &kind, in, step, &notes, err);
		if (status == TFPROF_OK)
			note_added(p, in, kind, &added);
		else
			mem_free(added.path);
	}
	if (status == TFPROF_OK && in->path && strcmp(in->path, given->path) != 0)
		note_choice(&notes, given->path, in->path, n);
	if (status == TFPROF_OK && kind == INPUT_CHECKPOINT && p->inputs.n == 1 &&
		!tfprof_input_is_memory(in))
		directory_note_others(in->path, &notes);
	keep_notes(p, &notes);
	if (status == TFPROF_OK && p->model.checkpoint != before && !remember_checkpoint(p))
		status = error_no_memory(err);
	return end(p, status, err);
}

enum tfprof_status tfprof_profile_add(tfprof_profile *p, const char *kind,
	const struct tfprof_input *in, int64_t step, struct tfprof_error *err)
{
	enum input_kind known = kind ? input_from_name(kind) : INPUT_UNKNOWN;
	struct tfprof_input found = *in;
	struct buf path = {0};
	enum tfprof_status status;
	size_t n;

	if (kind && known == INPUT_UNKNOWN)
		return unknown_kind(kind, err);
	status = input_resolve(&found, &known, &path, &n, err);
	if (status == TFPROF_OK)
		status = add(p, known, &found, in, n, step, err);
	buf_clear(&path);
	return status;
}

enum tfprof_status tfprof_profile_add_step(tfprof_profile *p, int64_t step,
	const struct tfprof_input *graph, const struct tfprof_input *run_meta,
	const struct tfprof_input *op_log, double *coverage, struct tfprof_error *err)
{
	struct buf notes = {0};
	enum tfprof_status status = begin(p, run_meta, err);

	if (status == TFPROF_OK && !(remember_input(p, graph) && remember_input(p, op_log)))
		status = error_no_memory(err);
	if (status == TFPROF_OK)
		status = load_step(&p->model, step, graph, run_meta, op_log, &notes, err);
	keep_notes(p, &notes);
	if (status == TFPROF_OK && coverage)
		*coverage = tfprof_profile_get_coverage(p);
	return end(p, status, err);
}

/* Nothing to do is no reason to make results copies of what they show. */
static bool is_counted(tfprof_profile *p)
{
	bool is;

	pthread_rwlock_rdlock(&p->lock);
	is = p->counted && p->counted == p->model.generation;
	pthread_rwlock_unlock(&p->lock);
	return is;
}

enum tfprof_status profile_count_float_ops(struct tfprof_profile *p, struct buf *notes,
	struct tfprof_error *err)
{
	enum tfprof_status status;

	if (is_counted(p))
		return TFPROF_OK;
	status = begin(p, NULL, err);
	if (status == TFPROF_OK)
		status = model_count_float_ops(&p->model, notes, err);
	if (status == TFPROF_OK)
		p->counted = ++p->model.generation;
	return end(p, status, err);
}

enum tfprof_status tfprof_profile_count_float_ops(tfprof_profile *p, struct tfprof_error *err)
{
	struct buf notes = {0};
	enum tfprof_status status = profile_count_float_ops(p, &notes, err);

	pthread_rwlock_wrlock(&p->lock);
	keep_notes(p, &notes);
	pthread_rwlock_unlock(&p->lock);
	return status;
}

double tfprof_profile_get_coverage(const tfprof_profile *p)
{
	/* As TensorFlow does, against division by 0. */
	return (double)p->model.n_covered / ((double)p->model.nodes.n + 1e-10);
}

const char *tfprof_profile_get_notes(const tfprof_profile *p)
{
	return p->notes ? p->notes : "";
}

/* For settings: a progress function that changes one has the lock already, and its wrlock
 * fails. */
static bool lock_settings(tfprof_profile *p)
{
	return pthread_rwlock_wrlock(&p->lock) == 0;
}

static void unlock_settings(tfprof_profile *p, bool is_locked)
{
	if (is_locked)
		pthread_rwlock_unlock(&p->lock);
}

void tfprof_profile_set_progress(tfprof_profile *p, tfprof_progress_fn *fn, void *context)
{
	bool is_locked = lock_settings(p);

	p->model.progress = fn;
	p->model.progress_context = context;
	unlock_settings(p, is_locked);
}

void tfprof_profile_set_reading(tfprof_profile *p, enum tfprof_reading reading)
{
	bool is_locked = lock_settings(p);

	p->model.reading = reading;
	unlock_settings(p, is_locked);
}
