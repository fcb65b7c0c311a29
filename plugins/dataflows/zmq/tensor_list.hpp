// tensor_list.hpp: data points in the format of zmq_ops, which ZMQInput of tensorpack receives.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "containers/component.hpp"

namespace zmq_ops {

// The number of tensors, then each: dtype (a number of TensorFlow), number of dimensions, sizes,
// all int32; the number of bytes, int64; the elements. place: the name of the message in errors.
// Borrows from the message.
std::vector<containers::Named> parse_point(std::string_view message, const std::string& place);

}  // namespace zmq_ops
