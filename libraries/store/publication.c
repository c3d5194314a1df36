/* SPDX-License-Identifier: BSD-2-Clause */
/* Several outputs, put in place together. */
#include "store/publication.h"

#include "base/error.h"
#include "base/stop.h"

struct publication {
	struct dit_published *items;
	size_t n;
	const struct dit_publish_opts *opts;
};

static int run_step(struct dit_output *output, enum dit_publish_step step)
{
	switch (step) {
	case DIT_PUBLISH_PREPARE:
		return dit_output_prepare(output);
	case DIT_PUBLISH_COMMIT:
		return dit_output_commit(output);
	case DIT_PUBLISH_PLACE:
		return dit_output_place(output);
	case DIT_PUBLISH_TAKE_BACK:
		return dit_output_take_back(output);
	case DIT_PUBLISH_END:
		return dit_output_end(output);
	}
	return 0;
}

static bool can_fail_alone(enum dit_publish_step step)
{
	return step == DIT_PUBLISH_TAKE_BACK || step == DIT_PUBLISH_END;
}

static bool changes(enum dit_publish_step step)
{
	return step == DIT_PUBLISH_COMMIT || step == DIT_PUBLISH_PLACE;
}

/*
 * 0, or the error that ends the publication. What one output changes is on the disk
 * before the next one changes anything: a loss of power keeps the order.
 */
static int step_all(const struct publication *p, enum dit_publish_step step)
{
	for (size_t i = p->n; i > 0; i--) {
		struct dit_published *item = &p->items[i - 1];
		int r = 0;

		if (item->output == NULL) {
			continue;
		}
		r = !can_fail_alone(step) && dit_stop_is_set(p->opts->stop)
		            ? DIT_E_STOPPED
		            : run_step(item->output, step);
		if (step == DIT_PUBLISH_END) {
			item->output = NULL; /* freed */
		} else {
			item->bytes = item->output->bytes;
			item->kept_bytes = item->output->kept_bytes;
		}
		if (r != 0) {
			p->opts->failed(p->opts->ctx, i - 1, step, r);
		}
		if (r < 0 && !can_fail_alone(step)) {
			return r;
		}
		if (i > 1 && changes(step)) {
			dit_output_settle(item->output);
		}
	}
	return 0;
}

int dit_publish(struct dit_published *items, size_t n,
                const struct dit_publish_opts *opts)
{
	struct publication p = {.items = items, .n = n, .opts = opts};
	int r = step_all(&p, DIT_PUBLISH_PREPARE);

	if (r == 0 && opts->before_commit != NULL) {
		r = opts->before_commit(opts->ctx);
	}
	if (r == 0) {
		r = step_all(&p, DIT_PUBLISH_COMMIT);
	}
	if (r == 0) {
		r = step_all(&p, DIT_PUBLISH_PLACE);
	}
	if (r == 0) {
		return step_all(&p, DIT_PUBLISH_END);
	}
	(void)step_all(&p, DIT_PUBLISH_TAKE_BACK);
	for (size_t i = 0; i < n; i++) {
		dit_output_abandon(items[i].output);
		items[i].output = NULL;
	}
	return r;
}
