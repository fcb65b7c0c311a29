/* ext/ui.h: shows a person how far a piece of work is.
 *
 * On a terminal this is a progress bar with rate and remaining time, elsewhere a plain line at
 * regular intervals. Plugins never write to the terminal themselves. */
#ifndef BROCH_EXT_UI_H
#define BROCH_EXT_UI_H

#include "../host.h"

BROCH_C_BEGIN

#define BROCH_EXT_UI "broch.ui/1"

typedef struct broch_host_ui {
  uint32_t struct_size;
  uint32_t reserved;

  /* Opens a progress bar, inside the one that is open. total: the amount of work; -1: unknown.
   * [main] */
  broch_status (*begin)(const broch_host* host, const char* label, int64_t total);

  /* Sets how much is done. Returns 1 when it is time to redraw; call describe then if there is more
   * to show. Otherwise it is cheap, so call it in every step. [main] */
  int32_t (*advance)(const broch_host* host, int64_t done);

  /* Additional text to show, such as "cost=0.31". [main] */
  broch_status (*describe)(const broch_host* host, const char* text);

  /* Closes the progress bar of this instance, if one is open. [main] */
  broch_status (*end)(const broch_host* host);
} broch_host_ui;

BROCH_C_END

#endif
