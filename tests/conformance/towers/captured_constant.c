/* captured_constant.c: values of the plugin's own that come in as a constant. */
#include "tower.h"

#define INPUTS INPUT_X

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  broch_opset* ops = &self->ops;
  static float weights[4] = {0.5f, -1.0f, 2.0f, 0.25f};
  int64_t shape[1] = {4};
  broch_dl_tensor data;
  broch_tensor scale = 0;
  broch_tensor w = variable(self, tower, "W", 2, 4, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  memset(&data, 0, sizeof data);
  data.data = weights;
  data.device.device_type = BROCH_DL_CPU;
  data.ndim = 1;
  data.dtype.code = BROCH_DL_FLOAT;
  data.dtype.bits = 32;
  data.dtype.lanes = 1;
  data.shape = shape;
  ops->status =
      ops->status < 0 ? ops->status : self->tower->constant(self->host, tower, &data, &scale);
  *cost = publish(
      self, tower, "cost",
      mean(self,
           broch_op_square(ops, broch_op_linear(ops, broch_op_mul(ops, inputs[0], scale), w, 0))));
  return BROCH_OK;
}

CONFORMANCE_TOWER("captured-constant")
