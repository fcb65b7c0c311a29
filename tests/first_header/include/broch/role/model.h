/* role/model.h: the inputs of a model, its tower function and its optimizer. tensorpack:
 * `ModelDesc`.
 *
 * A tower function is a description. The host calls it any number of times: with placeholder values
 * once per tower and mode while the graph is set up, and later as often as it needs. In each call
 * it must create the same names, variables, collections and outputs, and it keeps no state in self;
 * otherwise the host reports an error that names the difference. What changes during training is a
 * variable (ext/variables.h) or a hyper-parameter (ext/hyper_param.h), never a C variable.
 *
 * Source: tensorpack train/model_desc.py, tfutils/tower.py. */
#ifndef BROCH_ROLE_MODEL_H
#define BROCH_ROLE_MODEL_H

#include "../value.h"

BROCH_C_BEGIN

#define BROCH_ROLE_MODEL "broch.model/1"

/* One input. An element of an array, so frozen. */
typedef struct broch_input_spec {
  const char* name;        /* not empty, unique, without ':', '/' and spaces */
  const int64_t* shape;    /* rank elements; -1: depends on the data point */
  const char* const* dims; /* NULL, or rank elements, each NULL or a name such as "B"; dimensions
                              with the same name are equal within a data point */
  uint32_t rank;
  broch_dtype dtype;
  uint32_t flags;    /* 0 */
  uint32_t reserved; /* 0 */
} broch_input_spec;

typedef struct broch_signature {
  uint32_t struct_size;
  uint32_t reserved;
  void* context;
  broch_status (*add)(void* context, const broch_input_spec* input); /* copied */
} broch_signature;

typedef struct broch_model {
  uint32_t struct_size;
  uint32_t reserved;

  /* Lists the inputs, in order. Called once. [main] */
  broch_status (*inputs)(void* self, const broch_signature* signature);

  /* Builds the model for inputs[0..n), borrowed, in the order of the signature, on the device of
   * the tower. For training *cost must become a scalar floating-point tensor; for inference it may
   * stay 0. Publish what others may want to fetch (publish of ext/tower.h). [step] */
  broch_status (*tower)(void* self, broch_tower tower, const broch_tensor* inputs, uint32_t n,
                        broch_tensor* cost /* out */);

  /* (optional) Fills a data point (through ext/data_point.h) for the set-up of the graph, which
   * otherwise uses zeros. Needed if zeros are not valid inputs. [main] */
  broch_status (*example)(void* self, broch_point point);

  /* (optional) Writes the default optimizer, as the text of a manifest entry, for example
   *   {"use": "adam", "with": {"learning_rate": 0.001}}
   * "optimizer" in the manifest overrides it. Called once. [main] */
  broch_status (*optimizer)(void* self, const broch_writer* entry);
} broch_model;

BROCH_C_END

#endif
