// class_names.hpp: what the data of a training call the classes.
#pragma once
#include <string>
#include <vector>

#include "predict/model.hpp"

namespace broch::predict {

// In the order of their numbers. signature: all inputs of the model; needed: those of them that its
// outputs need. Empty: the data have no names, or do not say that they are those of the label.
std::vector<std::string> class_names(const session::Setup& setup,
                                     const std::vector<abi::InputSpec>& signature,
                                     const std::vector<abi::InputSpec>& needed);

// As a bundle has them, under the key kClasses, and back. Throws base::Error (data); place names
// the bundle.
inline constexpr const char* kClasses = "classes";
std::string to_text(const std::vector<std::string>& classes);
std::vector<std::string> classes_from(const std::string& text, const std::string& place);

}  // namespace broch::predict
