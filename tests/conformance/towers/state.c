/* state.c: state kept in a variable from step to step: an average of the activations (PTB's hidden
 * state in small), read in the next step, updated by every step. */
#include "tower.h"

#define INPUTS INPUT_X

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  broch_opset* ops = &self->ops;
  const int64_t first[1] = {0};
  broch_variable state = 0;
  broch_tensor w = variable(self, tower, "W", 3, 4, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor before = variable(self, tower, "state", 3, 0, 0, BROCH_VARIABLE_MODEL, &state);
  broch_tensor hidden =
      broch_op_tanh(ops, add(self, broch_op_linear(ops, inputs[0], w, 0), before));
  broch_tensor now = broch_op_detach(ops, broch_op_mean_dim(ops, hidden, first, 1, 0, 0));
  *cost = publish(self, tower, "cost", mean(self, broch_op_square(ops, hidden)));
  publish(self, tower, "state_before", before);
  update(self, tower, state, now, "cost");
  return BROCH_OK;
}

CONFORMANCE_TOWER("state")
