/* role/model.h: input signature, tower function, optimizer. Seed term: ModelDesc.
 *
 * A tower function is a description. The host calls it any number of times: once per tower and
 * mode while the graph is set up, on fabricated inputs, then as often as it needs. It builds the
 * same names, variables, collections and outputs each time and keeps no state in self; a call
 * that yields others is an error naming the difference. What changes during training is a
 * variable (ext/variables.h) or a hyper-parameter (ext/hyper.h), never a C local.
 *
 * Source: tensorpack train/model_desc.py, tfutils/tower.py; M61-M66, M90-M95. */
#ifndef BROCH_ROLE_MODEL_H
#define BROCH_ROLE_MODEL_H

#include "../value.h"

BROCH_C_BEGIN

#define BROCH_ROLE_MODEL "broch.model/1"

/* One input. An array element: frozen. */
typedef struct broch_input_spec {
  const char* name;         /* not empty, unique, without ':', '/' and space */
  const int64_t* shape;     /* rank entries, -1 = unknown until the data point */
  const char* const* dims;  /* NULL, or rank entries: NULL or a name such as "B"; dimensions of one
                               name are equal within a data point */
  uint32_t rank;
  broch_dtype dtype;
} broch_input_spec;

typedef struct broch_signature {
  void* context;
  broch_status (*add)(void* context, const broch_input_spec* input); /* copied */
} broch_signature;

typedef struct broch_model {
  uint32_t struct_size;
  uint32_t reserved;

  /* Lists the inputs in order. Called once. [main] */
  broch_status (*inputs)(void* self, const broch_signature* signature);

  /* Builds one replica on inputs[0..n), borrowed, in the order of the signature, on the tower's
   * device. In training mode *cost must become a scalar floating-point tensor; in inference it may
   * stay 0. Name what others may want with ext/tower.h's publish. [step] */
  broch_status (*tower)(void* self, broch_tower tower, const broch_tensor* inputs, uint32_t n,
                        broch_tensor* cost /* out */);

  /* (optional) Fills one data point on which the graph is defined instead of zeros, through
   * ext/data.h. Needed when zeros are no legal input. [main] */
  broch_status (*example)(void* self, broch_point point);

  /* (optional) Writes the default optimizer as the text of a manifest entry, for example
   *   {"use": "adam", "with": {"learning_rate": 0.001}}
   * The manifest's "optimizer" overrides it. Called once. [main] */
  broch_status (*optimizer)(void* self, const broch_writer* entry);
} broch_model;

BROCH_C_END

#endif
