/* strides.c: results that are expanded, transposed, stepped and overlapping views, read by kernels
 * and published. Goes wrong when a view is rebuilt from its shape alone, or when a fetch copies a
 * buffer instead of a view. */
#include "raw.h"

#define INPUTS INPUT_X

static broch_status build(tower_self* self, broch_tower tower, const broch_tensor* inputs,
                          broch_tensor* cost) {
  broch_opset* ops = &self->ops;
  const int64_t wide[3] = {3, -1, 4}, size[2] = {3, 2}, stride[2] = {1, 2};
  broch_value arguments[4];
  broch_tensor w = variable(self, tower, "W", 4, 4, 0, BROCH_VARIABLE_TRAINABLE, NULL);
  broch_tensor y = broch_op_linear(ops, inputs[0], w, 0), windows;
  broch_tensor expanded = broch_op_expand(ops, broch_op_unsqueeze(ops, y, 0), wide, 3, 0);
  broch_tensor turned = broch_op_transpose(ops, expanded, 0, 2);
  broch_tensor stepped = broch_op_slice(ops, turned, 0, broch_int(1), broch_none(), 2);
  arguments[0] = broch_of(broch_op_tanh(ops, y));
  arguments[1] = broch_ints(size, 2);
  arguments[2] = broch_ints(stride, 2);
  arguments[3] = broch_int(1);
  windows = raw(self,
                "aten::as_strided(Tensor(a) self, SymInt[] size, SymInt[] stride, SymInt? "
                "storage_offset=None) -> Tensor(a)",
                arguments, 4);
  publish(self, tower, "expanded", expanded);
  publish(self, tower, "stepped", stepped);
  publish(self, tower, "windows", windows);
  *cost = publish(self, tower, "cost",
                  add(self, mean(self, broch_op_square(ops, broch_op_sigmoid(ops, stepped))),
                      mean(self, broch_op_square(ops, windows))));
  return BROCH_OK;
}

CONFORMANCE_TOWER("strides")
