/* read_after_update.c: a value read after its own update in the same call, as BEGAN's kt: a handle
 * taken before keeps the old value, a read after it sees the new one, storage changes when the run
 * ends. */
#include "tower.h"

#define INPUTS INPUT_X

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  broch_opset* ops = &self->ops;
  broch_variable kt = 0;
  broch_tensor w = variable(self, tower, "W", 2, 4, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor old_kt = variable(self, tower, "kt", 1, 0, 0.5, BROCH_VARIABLE_MODEL, &kt);
  broch_tensor y = broch_op_linear(ops, inputs[0], w, 0), new_kt = 0;
  update(self, tower, kt, broch_op_add_scalar(ops, old_kt, broch_double(0.125), broch_int(1)),
         "cost");
  if (ops->status == BROCH_OK) ops->status = self->variables->read(self->host, tower, kt, &new_kt);
  publish(self, tower, "old_kt", old_kt);
  publish(self, tower, "new_kt", new_kt);
  *cost =
      publish(self, tower, "cost", mean(self, broch_op_mul(ops, broch_op_square(ops, y), new_kt)));
  return BROCH_OK;
}

CONFORMANCE_TOWER("read-after-update")
