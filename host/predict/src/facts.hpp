// facts.hpp: what tells whether files are still the same.
#pragma once
#include <filesystem>
#include <string>

#include "value/value.hpp"

namespace broch::predict {

// Its name, its size and the time of its last change. Of a folder: those of all files in it.
std::string facts_of(const std::filesystem::path& file);
// Those of all files that the strings in a dataflow name: files, folders and patterns.
std::string facts_of(const value::Value& flow);

}  // namespace broch::predict
