/* ext/ui.h: how far a piece of work is, for a person watching.
 *
 * On a terminal a bar with rate and time left; elsewhere a plain line an interval. Plugins never
 * write to the terminal themselves. */
#ifndef BROCH_EXT_UI_H
#define BROCH_EXT_UI_H

#include "../host.h"

BROCH_C_BEGIN

#define BROCH_EXT_UI "broch.ui/1"

typedef struct broch_ui {
  uint32_t struct_size;
  uint32_t reserved;

  /* Opens the bar of a piece of work, inside the one that is open. total -1: unknown. [main] */
  broch_status (*begin)(const broch_host* host, const char* label, int64_t total);

  /* Sets how much is done. 1: it is time to redraw; call describe if there is more to tell. Cheap when
   * it is not: meant for every step. [main] */
  int32_t (*advance)(const broch_host* host, int64_t done);

  /* What else to show, such as "cost=0.31". [main] */
  broch_status (*describe)(const broch_host* host, const char* text);

  /* Closes the bar of this instance, if one is open. [main] */
  broch_status (*end)(const broch_host* host);
} broch_ui;

BROCH_C_END

#endif
