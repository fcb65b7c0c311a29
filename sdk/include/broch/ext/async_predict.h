/* ext/async_predict.h: the model in inference mode for many threads: what they ask is computed in
 * batches. tensorpack: `MultiThreadAsyncPredictor`.
 *
 * A question is one sample: for each input of the predictor a tensor without the dimension of the
 * batch. Its answer has for each output the row that belongs to the sample, also without that
 * dimension, as a copy in CPU memory. Questions with the same dtypes and shapes are stacked along a
 * new first dimension, in the order in which they were asked. A batch has 1, 2, 4, 8, … rows or
 * batch_size, so that programs for few sizes are recorded; rows without a question repeat the last
 * one. The weights are those that training has at that moment. A failure of a batch is the answer
 * to all of its questions. */
#ifndef BROCH_EXT_ASYNC_PREDICT_H
#define BROCH_EXT_ASYNC_PREDICT_H

#include "../host.h"
#include "../value.h"

BROCH_C_BEGIN

#define BROCH_EXT_ASYNC_PREDICT "broch.async_predict/1"

/* When a batch is computed: as soon as it is full, or its first question has waited long enough. */
typedef struct broch_async_limits {
  uint32_t struct_size;
  uint32_t batch_size; /* questions, 1 or more */
  uint64_t wait_ns;    /* 0: what has been asked by the time that a predictor is free */
} broch_async_limits;

/* Gets the answer to a question. status: BROCH_OK; BROCH_CANCELLED, closed before it was computed;
 * or a failure, whose reason last_error has. outputs: m tensors, borrowed until it returns; NULL
 * unless status is BROCH_OK. It must not wait for other questions. If it fails, the asynchronous
 * predictor closes, and all other questions get this failure. [data], on a thread of the host */
typedef broch_status (*broch_answer_fn)(void* user, broch_status status,
                                        const broch_tensor* outputs, uint32_t m);

typedef struct broch_host_async_predict {
  uint32_t struct_size;
  uint32_t reserved;

  /* Starts a thread for each predictor (ext/predict.h); call it in setup_graph. They have the same
   * inputs and outputs, none of which is a variable, and each of them is used once. [main] */
  broch_status (*create)(const broch_host* host, const broch_predictor* predictors, uint32_t n,
                         const broch_async_limits* limits,
                         broch_async_predictor* predictor /* out */);

  /* Asks, and waits for the answer. Usable once the variables are initialized. BROCH_CANCELLED: it
   * has been closed, whatever else is wrong. [any], but not in an answer function of the same
   * predictor */
  broch_status (*call)(const broch_host* host, broch_async_predictor predictor,
                       const broch_tensor* inputs, uint32_t n, broch_tensor* outputs /* out */,
                       uint32_t m);

  /* Asks; answer is called exactly once, unless put itself does not return BROCH_OK. At most 65,536
   * questions wait: BROCH_E_RESOURCE_EXHAUSTED. BROCH_CANCELLED: it has been closed. [any] */
  broch_status (*put)(const broch_host* host, broch_async_predictor predictor,
                      const broch_tensor* inputs, uint32_t n, broch_answer_fn answer, void* user);

  /* Ends it: questions that wait are answered with BROCH_CANCELLED; a batch that is being computed
   * is answered first. No answer function is called after close has returned. It may be called
   * again. The host closes it at the end of the run. [any], but not in an answer function */
  broch_status (*close)(const broch_host* host, broch_async_predictor predictor);
} broch_host_async_predict;

BROCH_C_END

#endif
