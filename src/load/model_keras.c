/* Keras's own files: .keras, a zip archive of the configuration (JSON) and the weights
 * (HDF5); and .h5, where the configuration is an attribute. */
#include "load/model_keras.h"

#include "formats/zip.h"

/* Unpacked. A configuration of 1,000 layers has about 1 MB. */
enum { MAX_CONFIG = 64 << 20, MAX_WEIGHTS = 1 << 30 };

void model_keras_free(struct model_keras *k)
{
	if (!k)
		return;
	buf_clear(&k->config_room);
	buf_clear(&k->weights_room);
	json_doc_clear(&k->doc);
	hdf5_clear(&k->weights);
	keras_weights_clear(k);
	mem_free(k);
}

void model_keras_check(struct model_file *m, int64_t parameters, int64_t config_surplus)
{
	/* If a layer has both, its weights are counted. */
	parameters = count_add(parameters, config_surplus);
	if (m->stored_parameters < 0 || m->stored_parameters == parameters)
		return;
	buf_printf(&m->notes,
		"the weights in the file are %lld numbers, not %lld as the configuration says\n",
		(long long)m->stored_parameters, (long long)parameters);
	model_file_name_note(m, "weights_differ");
}

/* ---- files ---------------------------------------------------------------------- */

static enum tfprof_status read_config(struct model_file *m, const char *name, struct span config,
	struct tfprof_error *err)
{
	struct model_keras *k = m->keras;
	size_t at;
	const char *problem = json_read(&k->doc, config, &at);

	if (problem)
		return error_set(err, TFPROF_FORMAT,
			"%s: its configuration is not JSON: %s at byte %zu", name, problem, at);
	if (json_type_of(&k->doc, 0) != JSON_OBJECT)
		return error_set(err, TFPROF_FORMAT,
			"%s: its configuration is not JSON object with the model's layers", name);
	if (json_type_of(&k->doc, json_get(&k->doc, json_get(&k->doc, 0, "config"), "layers")) !=
			JSON_ARRAY &&
		json_type_of(&k->doc, json_get(&k->doc, 0, "config")) != JSON_ARRAY) {
		buf_text(&m->notes,
			"the file has no graph of layers (a subclassed model): count "
			"the SavedModel of model.export()\n");
		model_file_name_note(m, "no_layer_graph");
		buf_text(&m->title, "subclassed model");
		keras_weights_as_parameters(m);
		m->is_of_layers = true;
		return TFPROF_OK;
	}
	m->is_of_layers = true;
	return keras_build(m, 0, err);
}

static enum tfprof_status read_weights(struct model_file *m, struct span bytes,
	struct tfprof_error *err)
{
	enum tfprof_status status = hdf5_read(&m->keras->weights, bytes, err);

	if (status == TFPROF_OK && !keras_weights_add_up(m->keras, &m->stored_parameters))
		status = error_no_memory(err);
	return status;
}

static void put_version(struct model_file *m, struct span version)
{
	if (version.n)
		buf_printf(&m->title, "%.*s ", ERROR_SPAN(version));
}

static enum tfprof_status make_keras(struct model_file *m, struct tfprof_error *err)
{
	m->keras = mem_zero(sizeof(*m->keras));
	return m->keras ? TFPROF_OK : error_no_memory(err);
}

enum tfprof_status model_read_keras_h5(struct model_file *m, const char *name,
	const struct model_file_options *options, struct tfprof_error *err)
{
	enum tfprof_status status = make_keras(m, err);

	if (status == TFPROF_OK) {
		status = read_weights(m, m->source.bytes, err);
		if (status != TFPROF_OK)
			return error_prefix(err, status, name);
	}
	if (status != TFPROF_OK)
		return status;
	put_version(m, m->keras->weights.keras_version);
	if (m->keras->weights.model_config.n)
		return read_config(m, name, m->keras->weights.model_config, err);
	m->is_of_layers = m->hides_training = true;
	buf_text(&m->title, "weights");
	buf_text(&m->notes, "the file has only weights: nothing but parameters is counted\n");
	model_file_name_note(m, "only_weights");
	keras_weights_as_parameters(m);
	return TFPROF_OK;
}

enum tfprof_status model_read_keras(struct model_file *m, const char *name,
	const struct model_file_options *options, struct tfprof_error *err)
{
	struct span config, weights, metadata;
	struct buf room = {0};
	struct json_doc doc = {0};
	size_t at;
	enum tfprof_status status = make_keras(m, err);

	if (status == TFPROF_OK)
		status = zip_get(m->source.bytes, "config.json", MAX_CONFIG, &m->keras->config_room,
			&config, err);
	if (status == TFPROF_UNSUPPORTED)
		return error_set(err, TFPROF_FORMAT,
			"%s: a zip archive, but not a Keras model: it has no "
			"config.json",
			name);
	if (status == TFPROF_OK &&
		zip_get(m->source.bytes, "metadata.json", MAX_CONFIG, &room, &metadata, err) ==
			TFPROF_OK &&
		!json_read(&doc, metadata, &at))
		put_version(m, json_text_of(&doc, json_get(&doc, 0, "keras_version")));
	json_doc_clear(&doc);
	buf_clear(&room);
	if (status == TFPROF_OK) {
		status = zip_get(m->source.bytes, "model.weights.h5", MAX_WEIGHTS,
			&m->keras->weights_room, &weights, err);
		if (status == TFPROF_OK)
			status = read_weights(m, weights, err);
		else if (status == TFPROF_UNSUPPORTED)
			status = TFPROF_OK;
	}
	if (status != TFPROF_OK)
		return error_prefix(err, status, name);
	return read_config(m, name, config, err);
}
