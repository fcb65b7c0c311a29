// datum.hpp: an image with its label, as Caffe stores it in a database: a message Datum.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "containers/component.hpp"

namespace containers {

// The image of shape (height, width, channels), uint8 or float32, and the label. An image that is
// still encoded, such as a JPEG file, becomes a vector of bytes. The result may borrow from bytes.
// place: of the datum, for messages. Throws Error.
std::vector<Named> parse_datum(std::string_view bytes, const std::string& place);

}  // namespace containers
