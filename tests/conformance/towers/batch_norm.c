/* batch_norm.c: a kernel that writes its running statistics without saying so in its schema; the
 * copy-back is an update of UPDATE_OPS. Goes wrong when the kernel's second and third results make
 * the write look unused, when the private copies become constants, or when a step without the
 * collection writes. */
#include "tower.h"

#define INPUTS INPUT_X

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  broch_opset* ops = &self->ops;
  broch_variable mean_variable = 0, variance_variable = 0;
  broch_tensor w = variable(self, tower, "W", 3, 4, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor gamma = variable(self, tower, "gamma", 3, 0, 1, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor ema =
      variable(self, tower, "mean/EMA", 3, 0, 0, BROCH_VARIABLE_MODEL, &mean_variable);
  broch_tensor emv =
      variable(self, tower, "variance/EMA", 3, 0, 1, BROCH_VARIABLE_MODEL, &variance_variable);
  broch_tensor new_mean = broch_op_clone(ops, ema), new_variance = broch_op_clone(ops, emv);
  broch_tensor y = broch_op_linear(ops, inputs[0], w, 0), results[3];
  broch_tower_info info;
  info.struct_size = sizeof info;
  if (ops->status == BROCH_OK) ops->status = self->tower->info(self->host, tower, &info);
  if (ops->status != BROCH_OK) return BROCH_OK;
  broch_op_native_batch_norm(ops, y, gamma, 0, new_mean, new_variance, info.is_training, 0.125,
                             1e-5, results);
  if (info.is_main) {
    update(self, tower, mean_variable, new_mean, BROCH_UPDATE_OPS);
    update(self, tower, variance_variable, new_variance, BROCH_UPDATE_OPS);
  }
  publish(self, tower, "new_mean", new_mean);
  *cost = publish(self, tower, "cost",
                  mean(self, broch_op_square(ops, sub(self, broch_op_tanh(ops, results[0]), y))));
  return BROCH_OK;
}

CONFORMANCE_TOWER("batch-norm")
