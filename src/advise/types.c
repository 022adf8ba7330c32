#include "advise/types.h"

enum tfprof_status type_filter_init(struct type_filter *t, struct check *c, const char *option,
	struct tfprof_error *err)
{
	struct span rest = span_of(check_word(c, option));
	VEC(struct span) words = {0};
	enum tfprof_status status = TFPROF_OK;

	*t = (struct type_filter){.model = c->model};
	t->known = check_alloc(c, c->model->strings.text.n, 1);
	if (!t->known)
		return error_no_memory(err);
	while (status == TFPROF_OK && rest.n) {
		struct span word = span_cut(&rest, ',');

		if (word.n && !vec_push(&words, word))
			status = error_no_memory(err);
	}
	if (status == TFPROF_OK)
		status = regexes_new(&t->regexes, option, words.at, words.n, err);
	vec_clear(&words);
	return status;
}

void type_filter_clear(struct type_filter *t)
{
	regexes_free(t->regexes);
}

bool type_filter_match(struct type_filter *t, uint32_t node)
{
	uint32_t op = model_op(t->model, node);

	if (!t->known[op])
		t->known[op] = regexes_match(t->regexes, model_text(t->model, op)) ? 2 : 1;
	return t->known[op] == 2;
}
