// numbers.hpp: arithmetic on symbolic sizes, which is ordinary arithmetic once the inputs are
// there.
#pragma once
#include <broch/opset.h>

#include <string>
#include <vector>

namespace exported {

using Number = broch_value;  // of tag INT, DOUBLE or BOOL

// Whether this target of a node is a function of numbers, such as "_operator.mul".
bool is_number_function(const std::string& target);

// The result, as Python computes it. Throws broch::Error for a division by zero and the like.
Number number_function(const std::string& target, const std::vector<Number>& arguments);

double as_double(const Number& number);
int64_t as_integer(const Number& number);  // of a DOUBLE: without its fraction

}  // namespace exported
