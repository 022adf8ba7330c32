#include "query/model_options.h"

const char *const model_order_words[] = {"layer", "name",
#define X(word, value) #word,
	MODEL_NUMBERS(X)
#undef X
		NULL};

const struct model_device model_devices[] = {
#define X(name, flops, dtype, bandwidth) {name, flops, dtype, bandwidth},
	MODEL_DEVICES(X)
#undef X
};

const char *const model_device_words[] = {
#define X(name, flops, dtype, bandwidth) name,
	MODEL_DEVICES(X)
#undef X
		NULL};

const struct model_optimizer model_optimizers[] = {
#define X(name, slots) {name, slots},
	MODEL_OPTIMIZERS(X)
#undef X
};

const char *const model_optimizer_words[] = {
#define X(name, slots) name,
	MODEL_OPTIMIZERS(X)
#undef X
		NULL};

const struct model_dtype model_dtypes[] = {
#define X(name, activations, weights, whole) {name, activations, weights, whole},
	MODEL_DTYPES(X)
#undef X
};

const char *const model_dtype_words[] = {
#define X(name, activations, weights, whole) name,
	MODEL_DTYPES(X)
#undef X
		NULL};

static const struct limit_word limit_words[] = {
#define X(word, value) {#word, AMOUNT_COUNT, false},
	MODEL_NUMBERS(X)
#undef X
#define X(word, units) {#word, AMOUNT_##units, false},
		MORE_TOTALS(X)
#undef X
			{NULL, AMOUNT_PLAIN, false}};

const struct limit_rules model_limit_rules = {"fail_if", limit_words, false};
