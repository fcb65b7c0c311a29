/* cautious.h: a component in C that was compiled with other headers than the host's. */
#ifndef TESTS_ABI_CAUTIOUS_H
#define TESTS_ABI_CAUTIOUS_H

#include "broch/broch.h"

BROCH_C_BEGIN

/* create refuses a host whose table has no log. */
extern const broch_component_vtable cautious_vtable;

/* Its callback table ends after before_epoch, which counts. */
extern int cautious_epochs;
/* "test.longer": its callback table has 64 bytes more than this header's. */
extern const broch_component_vtable longer_vtable;
extern int longer_triggers;

BROCH_C_END

#endif
