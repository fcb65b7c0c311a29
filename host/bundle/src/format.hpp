// format.hpp: where what is in a safetensors file.
#pragma once
#include <string>
#include <string_view>

#include "bundle/bundle.hpp"

namespace broch::bundle {

// Keys of the metadata. What a bundle says about itself has its own, with this prefix.
inline constexpr const char *kVersionKey = "broch.bundle", *kGraphKey = "broch.graph",
                            *kFirstKey = "broch.graph.first", *kLaterKey = "broch.graph.later";
inline constexpr const char* kAboutPrefix = "broch.about.";
inline constexpr const char* kVersion = "1";
// Of the names of tensors that are files.
inline constexpr std::string_view kFilePrefix = "broch.file/";

// Throws base::Error (data).
[[noreturn]] void refuse(const std::string& place, const std::string& found,
                         const std::string& expected);

// Whether a sequence has the inputs and outputs of the model, and passes on what it keeps. Throws
// base::Error (data) with the place if it does not.
void check_sequence(const graph::Graph& model, const Sequence<graph::Graph>& sequence,
                    const std::string& place);

}  // namespace broch::bundle
