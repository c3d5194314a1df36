/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The state of what a load has prepared in a database directory (manifest.h).
 */
#ifndef DITKIT_PREPARED_STATE_H
#define DITKIT_PREPARED_STATE_H

enum dit_prepared_state {
	DIT_PREPARED_NOTHING,
	DIT_PREPARED_UNFINISHED, /* a load or a copy is at work, or was ended */
	DIT_PREPARED_READY,      /* complete, and to be put in place */
	DIT_PREPARED_PUBLISHED,  /* put in place */
	DIT_PREPARED_DAMAGED,    /* the manifest cannot be read, or data.mdb is not its */
};

#endif
