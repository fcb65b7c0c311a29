// point.hpp: data points of tensorpack in MessagePack, with the arrays of msgpack-numpy.
//
// tensorpack: `dumps_msgpack`, which `LMDBSerializer` and `send_dataflow_zmq` use. A point is a
// list of components, or a map of them by name.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "containers/component.hpp"

namespace msgpack {

// place: the name of the message in errors. An array becomes a tensor of its dtype; a Python int
// becomes int64, a float float32, a bool bool; text and bytes become uint8; a list of numbers
// becomes a vector. An array alone is a point of one component. Borrows from the message. Throws
// broch::Error for everything else.
std::vector<containers::Named> parse_point(std::string_view message, const std::string& place);

// A list of texts or bytes, such as the keys of an LMDB file of tensorpack.
std::vector<std::string> parse_keys(std::string_view message, const std::string& place);

}  // namespace msgpack
