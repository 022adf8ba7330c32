/* What is kept of a Keras file while its graph of layers is used, and its weights. */
#ifndef TFPROF_LOAD_MODEL_KERAS_H
#define TFPROF_LOAD_MODEL_KERAS_H

#include "base/strings.h"
#include "formats/hdf5.h"
#include "formats/json_reader.h"
#include "load/model_file.h"

struct model_keras {
	struct buf config_room, weights_room; /* unpacked members */
	struct json_doc doc;
	struct hdf5_file weights;
	struct strings layers;  /* names that weights belong to: "encoder/dense" */
	VEC(int64_t) n_weights; /* of each */
	VEC(uint32_t) shapes;   /* of outputs, by layer; while a model is built */
	bool has_layers;
};

/* Makes the main graph, and functions for models within, of the configuration `root`. */
enum tfprof_status keras_build(struct model_file *m, uint32_t root, struct tfprof_error *err);

/* Adds up the weights by layer, and in all: without those of optimizers and random number
 * generators. False on allocation failure. */
bool keras_weights_add_up(struct model_keras *k, int64_t *total);
void keras_weights_clear(struct model_keras *k);
/* 0 if there are none, or if it is unknown. */
int64_t keras_weights_of(const struct model_keras *k, struct span layer);
/* Makes them the parameters of a model about which nothing else is known. */
void keras_weights_as_parameters(struct model_file *m);

#endif
